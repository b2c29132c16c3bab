package io.headgate.server.serve;

import static org.assertj.core.api.Assertions.assertThat;

import io.headgate.server.ServerProcess;
import io.headgate.testkit.RedisServer;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;

/** {@code headgate serve} reads the operators' token from a file or a variable, and logs their calls. */
@Execution(ExecutionMode.CONCURRENT)
class TokenOptionIT {

    private static final String TOKEN = "an-operator's-own-secret";

    @TempDir
    @SuppressWarnings("NullAway.Init") // set by JUnit
    private Path folder;

    @Test
    void the_token_of_a_file_authorizes_operators_and_is_never_logged() throws Exception {
        Path file = Files.writeString(folder.resolve("token"), TOKEN + "\n");
        try (RedisServer redis = RedisServer.startOwn();
                ServerProcess server = serve(
                        Map.of(),
                        "--redis",
                        redis.url(),
                        "--redis-timeout",
                        "4s",
                        "--operator-token-file",
                        file.toString())) {
            assertMayEnqueue(server);
        }
    }

    @Test
    void the_token_of_the_variable_authorizes_operators() throws Exception {
        try (RedisServer redis = RedisServer.startOwn();
                ServerProcess server = serve(
                        Map.of("HEADGATE_OPERATOR_TOKEN", TOKEN), "--redis", redis.url(), "--redis-timeout", "4s")) {
            assertMayEnqueue(server);
        }
    }

    @Test
    void a_missing_or_invalid_token_file_exits_with_2_and_its_content_is_not_repeated() throws Exception {
        Path file = Files.writeString(folder.resolve("token"), "too short\n");
        Map<String, String> problems = Map.of(
                file.toString(),
                "a token must be 16 to 256 visible ASCII characters",
                "/nowhere",
                "there is no such file");
        for (Map.Entry<String, String> problem : problems.entrySet()) {
            try (ServerProcess server =
                    serve(Map.of(), "--redis", "redis://127.0.0.1:1", "--operator-token-file", problem.getKey())) {
                assertThat(server.awaitExit()).isEqualTo(2);
                server.awaitLine("headgate: --operator-token-file \"" + problem.getKey() + "\": " + problem.getValue());
                assertThat(String.join("\n", server.output())).doesNotContain("too short");
            }
        }
    }

    private static void assertMayEnqueue(ServerProcess server) throws Exception {
        String address = server.awaitLine("listening on (http://\\S+)");
        HttpRequest.Builder enqueue = HttpRequest.newBuilder(URI.create(address + "/v1/queues/mails/jobs"))
                .header("Content-Type", "application/json")
                .POST(HttpRequest.BodyPublishers.ofString("{\"payload\": \"private\"}"));
        HttpClient client = HttpClient.newHttpClient();
        HttpResponse<String> without = client.send(enqueue.build(), HttpResponse.BodyHandlers.ofString());
        assertThat(without.statusCode()).isEqualTo(401);
        HttpResponse<String> with = client.send(
                enqueue.header("Authorization", "Bearer " + TOKEN).build(), HttpResponse.BodyHandlers.ofString());
        assertThat(with.statusCode()).as(with.body()).isEqualTo(200);
        server.awaitLine("operator 127.0.0.1 enqueue \"mails\": enqueued 1 job");
        assertThat(String.join("\n", server.output())).doesNotContain(TOKEN, "private");
    }

    private static ServerProcess serve(Map<String, String> environment, String... more) throws Exception {
        List<String> arguments =
                new ArrayList<>(List.of("serve", "--policies", "../examples/policies.yaml", "--port", "0"));
        arguments.addAll(List.of(more));
        return ServerProcess.start(List.of(), environment, arguments.toArray(String[]::new));
    }
}
