package io.headgate.server.audit;

import static java.util.stream.Collectors.groupingBy;
import static java.util.stream.Collectors.summingInt;
import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import io.headgate.http.attributes.ClientAddress;
import io.headgate.server.TestServer;
import io.headgate.server.http.BearerToken;
import io.headgate.server.operators.OperatorsFile;
import io.headgate.server.serve.ServerSettings;
import io.headgate.server.text.Json;
import io.headgate.testkit.Await;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The records of calls over HTTP, in the file of a server behind a proxy. */
class CallRecordsTest {

    private static final String TOKEN = "sixteen-or-more-characters";
    private static final String REFUNDS = "the-token-of-refunds";

    @TempDir
    @SuppressWarnings("NullAway.Init") // set by JUnit
    private Path folder;

    @SuppressWarnings("NullAway.Init") // set before each test
    private TestServer server;

    @BeforeEach
    void start() throws IOException {
        Path operators = Files.writeString(
                folder.resolve("operators.yaml"),
                "operators:\n  - {name: vera, role: view, sha256: " + sha256("token-of-vera") + "}\n");
        server = new TestServer(
                ServerSettings.builder(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0))
                        .drainDelay(Duration.ZERO)
                        .operatorToken(Optional.of(new BearerToken(TOKEN)))
                        .operators(Optional.of(OperatorsFile.open(operators)))
                        .refundToken(Optional.of(new BearerToken(REFUNDS)))
                        .clientAddress(Optional.of(ClientAddress.trusting("127.0.0.1")))
                        .auditFile(Optional.of(AuditFile.open(folder.resolve("audit.jsonl"), "--audit-log")))
                        .build(),
                TestServer.API,
                TestServer.AGENTS);
    }

    private static String sha256(String token) {
        try {
            byte[] hash = MessageDigest.getInstance("SHA-256").digest(token.getBytes(StandardCharsets.UTF_8));
            return HexFormat.of().formatHex(hash);
        } catch (NoSuchAlgorithmException e) {
            throw new AssertionError(e);
        }
    }

    @AfterEach
    void stop() {
        server.close();
    }

    /** Waits for the records of this number of calls, because the server drops those that a slow disk has not written when it stops. */
    private List<JsonNode> records(int calls) throws IOException {
        Path file = folder.resolve("audit.jsonl");
        Await.until("the records of " + calls + " calls", Duration.ofSeconds(60), () -> calls(file) >= calls);
        server.close();
        return records(file);
    }

    private static List<JsonNode> records(Path file) throws IOException {
        List<JsonNode> records = new ArrayList<>();
        for (String line : Files.readAllLines(file)) {
            records.add(Json.MAPPER.readTree(line));
        }
        return records;
    }

    private static int calls(Path file) {
        try {
            return records(file).stream().mapToInt(CallRecordsTest::count).sum();
        } catch (JsonProcessingException unfinished) {
            return 0;
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static int count(JsonNode record) {
        return record.path("count").asInt(1);
    }

    private HttpResponse<String> send(HttpRequest.Builder request, String token) {
        return server.send(request.header("Authorization", "Bearer " + token));
    }

    private static String text(JsonNode record) {
        return record.path("target").asText() + " " + record.path("outcome").asText() + " " + record.path("after");
    }

    @Test
    void a_record_has_the_client_and_the_proxy() throws IOException {
        String ban = "{\"attribute\":\"user\",\"value\":\"%s\",\"permanent\":true}";
        send(server.json("/v1/bans", ban.formatted("a")).header("X-Forwarded-For", "2001:db8::7"), TOKEN);
        send(server.json("/v1/bans", ban.formatted("b")), TOKEN);
        send(
                server.json("/v1/refund", "{\"policy\":\"api\",\"attributes\":{\"user\":\"c\"},\"permits\":1}")
                        .header("X-Forwarded-For", "203.0.113.9"),
                REFUNDS);

        List<JsonNode> records = records(3);
        assertThat(records).hasSize(3);
        assertThat(records.get(0).get("from").asText()).isEqualTo("2001:db8:0:0:0:0:0:7");
        assertThat(records.get(0).get("peer").asText()).isEqualTo("127.0.0.1");
        assertThat(records.get(1).get("from").asText()).isEqualTo("127.0.0.1");
        assertThat(records.get(1).has("peer")).isFalse();
        assertThat(records.get(2).get("from").asText()).isEqualTo("203.0.113.9");
        assertThat(records.get(2).get("peer").asText()).isEqualTo("127.0.0.1");
    }

    @Test
    void a_refund_has_the_ids_and_one_of_no_permits_changes_nothing() throws IOException {
        String alice = "{\"policy\":\"api\",\"attributes\":{\"user\":\"alice\"},\"permits\":1}";
        server.check(alice);
        for (int i = 0; i < 3; i++) {
            assertThat(send(server.json("/v1/refund", alice), REFUNDS).statusCode())
                    .isEqualTo(200);
        }

        // Equal records of one second are one, with their number.
        assertThat(records(3).stream().collect(groupingBy(CallRecordsTest::text, summingInt(CallRecordsTest::count))))
                .isEqualTo(Map.of(
                        "api user=alice done {\"permits\":1}", 1, "api user=alice not-changed {\"permits\":0}", 2));
    }

    @Test
    void a_flood_of_calls_without_a_name_hides_no_refused_call_of_an_operator() throws IOException {
        for (int i = 0; i < 100; i++) {
            send(server.json("/v1/queues/q" + i + "/pause", "{}"), "a-wrong-token-of-a-stranger");
        }
        // From another address, because that of the flood must wait.
        send(server.json("/v1/queues/mails/purge", "{}").header("X-Forwarded-For", "203.0.113.9"), "token-of-vera");

        List<JsonNode> records = records(101);
        assertThat(records.stream().filter(one -> one.has("operator")).map(CallRecordsTest::text))
                .containsExactly("purge \"mails\" refused ");
        assertThat(records.stream()
                        .filter(one -> !one.has("operator"))
                        .map(one -> one.path("target").asText())
                        .distinct())
                .containsExactly("pause");
    }

    @Test
    void a_text_that_is_no_id_of_a_job_is_not_recorded() throws IOException {
        String id = "00010660c5d1e2a3b4000000000001";
        for (String job : List.of(id, "the-key-of-a-customer")) {
            assertThat(send(
                                    HttpRequest.newBuilder(server.at("/v1/queues/mails/jobs/" + job))
                                            .DELETE(),
                                    TOKEN)
                            .statusCode())
                    .isEqualTo(404);
        }

        assertThat(records(2))
                .extracting(CallRecordsTest::text)
                .containsExactly("mails/" + id + " failed ", "mails failed ");
    }
}
