package io.headgate.server.queues.http;

import static io.headgate.server.queues.http.QueueHttp.assertProblem;
import static org.assertj.core.api.Assertions.assertThat;

import io.headgate.queues.JobId;
import io.headgate.server.CliRun;
import io.headgate.server.operators.OperatorsFile;
import java.io.IOException;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What each role may do with queues. */
class QueueRolesIT {

    private final StringBuilder entries = new StringBuilder("operators:\n");

    private String token(String role) {
        List<String> lines = CliRun.of("operator", "token", "--name", role + "er", "--role", role)
                .out()
                .lines()
                .toList();
        entries.append(lines.get(3)).append('\n');
        return lines.get(1);
    }

    @Test
    void view_reads_jobs_without_payloads_operate_changes_them_and_admin_purges(@TempDir Path folder)
            throws IOException {
        String view = token("view");
        String operate = token("operate");
        String admin = token("admin");
        Path file = Files.writeString(folder.resolve("operators.yaml"), entries);
        try (QueueHttp http = new QueueHttp(Optional.empty(), Optional.of(OperatorsFile.open(file)))) {
            JobId id = http.queue.enqueue("a secret matter").id();
            for (String path : List.of("/mails/jobs", "/mails/jobs/" + id)) {
                assertThat(got(http, view, path))
                        .contains("\"id\":\"" + id + "\"", "\"payloadBytes\":15")
                        .doesNotContain("secret", "headers");
                assertThat(got(http, operate, path)).contains("\"payload\":\"a secret matter\"", "\"headers\"");
            }
            for (String path : List.of("/pause", "/jobs", "/audit", "/redrive", "/jobs/" + id + "/retry")) {
                assertProblem(
                        post(http, view, "/mails" + path, "{}"),
                        403,
                        "this call needs the role operate; yours is view");
            }
            assertThat(post(http, operate, "/mails/pause", "{}").statusCode()).isEqualTo(200);
            String purge = "{\"state\": \"waiting\"}";
            assertProblem(
                    post(http, operate, "/mails/purge", purge),
                    403,
                    "this call needs the role admin; yours is operate");
            assertThat(http.queue.counts().ready()).isEqualTo(1);
            assertThat(post(http, admin, "/mails/purge", purge).statusCode()).isEqualTo(200);
            assertThat(http.queue.counts().ready()).isZero();
        }
    }

    private static String got(QueueHttp http, String token, String path) {
        HttpResponse<String> response = http.send(with(http, token, path).GET());
        assertThat(response.statusCode()).as(response.body()).isEqualTo(200);
        return response.body();
    }

    private static HttpResponse<String> post(QueueHttp http, String token, String path, String body) {
        return http.send(with(http, token, path)
                .header("Content-Type", "application/json")
                .POST(QueueHttp.json(body)));
    }

    private static HttpRequest.Builder with(QueueHttp http, String token, String path) {
        return http.request(path).header("Authorization", "Bearer " + token);
    }
}
