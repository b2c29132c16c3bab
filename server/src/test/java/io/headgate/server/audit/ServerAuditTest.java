package io.headgate.server.audit;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import io.headgate.limits.Limit;
import io.headgate.limits.Policy;
import io.headgate.limits.Rule;
import io.headgate.limits.bans.BanRule;
import io.headgate.server.TestServer;
import io.headgate.server.http.BearerToken;
import io.headgate.server.serve.ServerSettings;
import io.headgate.server.text.Json;
import io.headgate.testkit.Await;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.api.io.TempDir;

/** A server without Redis writes the audit log to a file. */
class ServerAuditTest {

    private static final String TOKEN = "sixteen-or-more-characters";
    private static final Policy LOGIN = Policy.named("login")
            .rule(Rule.of("per-ip", Limit.fixedWindow(1, Duration.ofMinutes(1)), "ip")
                    .banning(BanRule.after(3, Duration.ofMinutes(10)).lasting(Duration.ofHours(1))))
            .build();

    private static TestServer server(Path file) {
        ServerSettings settings = ServerSettings.builder(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0))
                .drainDelay(Duration.ZERO)
                .operatorToken(Optional.of(new BearerToken(TOKEN)))
                .auditFile(Optional.of(AuditFile.open(file, "--audit-log")))
                .build();
        return new TestServer(settings, LOGIN);
    }

    @Test
    void changes_and_bans_by_rules_are_lines_of_json_when_the_server_has_stopped(@TempDir Path folder)
            throws IOException {
        Path file = folder.resolve("audit.jsonl");
        try (TestServer server = server(file)) {
            String ban = "{\"attribute\":\"user\",\"value\":\"mallory\",\"permanent\":true}";
            assertThat(server.send(server.json("/v1/bans", ban).header("Authorization", "Bearer " + TOKEN))
                            .statusCode())
                    .isEqualTo(200);
            for (int i = 0; i < 10; i++) {
                server.check("{\"policy\":\"login\",\"attributes\":{\"ip\":\"192.0.2.7\"}}");
                // A ban that has lasted for no time would begin again.
                server.clock.advance(Duration.ofMillis(1));
            }
            assertThat(server.get("/v1/audit", "Authorization", "Bearer " + TOKEN)
                            .statusCode())
                    .isEqualTo(404);
            // A server that stops does not wait for a slow disk longer than a second.
            Await.until("two records", Duration.ofSeconds(60), () -> lines(file) >= 2);
        }

        List<JsonNode> records = new ArrayList<>();
        for (String line : Files.readAllLines(file)) {
            records.add(Json.MAPPER.readTree(line));
        }
        assertThat(records).extracting(one -> one.get("action").asText()).containsExactly("ban.add", "ban.begin");
        assertThat(records.get(0).get("role").asText()).isEqualTo("admin");
        assertThat(records.get(0).has("operator"))
                .as("the operator token has no name")
                .isFalse();
        assertThat(records.get(0).get("target").asText()).isEqualTo("user=mallory");
        assertThat(records.get(1).get("target").asText()).isEqualTo("ip=192.0.2.7");
        assertThat(records.get(1).get("after").get("seconds").asLong()).isBetween(3600L, 3960L);
    }

    private static int lines(Path file) {
        try {
            return Files.readAllLines(file).size();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    @Test
    @EnabledOnOs(OS.LINUX)
    void a_file_that_cannot_be_written_changes_no_answer() {
        Path full = Path.of("/dev/full");
        try (TestServer server = server(full)) {
            String ban = "{\"attribute\":\"user\",\"value\":\"mallory\",\"permanent\":true}";
            assertThat(server.send(server.json("/v1/bans", ban).header("Authorization", "Bearer " + TOKEN))
                            .statusCode())
                    .isEqualTo(200);
        }
    }
}
