package io.headgate.server.audit;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import io.headgate.queues.Codec;
import io.headgate.queues.JobId;
import io.headgate.queues.JobQueue;
import io.headgate.redis.RedisSettings;
import io.headgate.redis.queues.RedisQueueEngine;
import io.headgate.server.CliRun;
import io.headgate.server.Main;
import io.headgate.server.ServerProcess;
import io.headgate.server.text.Json;
import io.headgate.testkit.Await;
import io.headgate.testkit.RedisProbe;
import io.headgate.testkit.RedisServer;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.Writer;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import picocli.CommandLine;

/** Each change is one record of the audit log in a real Redis and in a file, over HTTP and from the command line. */
@Timeout(300)
class AuditRecordsIT {

    private static final Duration LONG = Duration.ofSeconds(60);
    private static final RedisServer REDIS = RedisServer.startOwn();
    private static final HttpClient CLIENT = HttpClient.newHttpClient();
    private static final Map<String, String> TOKENS = new LinkedHashMap<>();
    private static final String REFUNDS = "the-token-of-refunds";
    private static final String CHANGES = "hg:{audit}:changes";
    private static final String SECRET = "a secret matter";

    @TempDir
    @SuppressWarnings("NullAway.Init") // set by JUnit
    private static Path shared;

    @SuppressWarnings("NullAway.Init") // set before all tests
    private static ServerProcess server;

    private static String address = "";
    private static Path file = Path.of("");

    private final RedisQueueEngine queues =
            RedisQueueEngine.connect(RedisSettings.of(REDIS.url()).withTimeout(LONG.dividedBy(2)));
    private final JobQueue<String> mails = queues.queue("mails", Codec.text());
    private final RedisProbe probe = RedisProbe.of(REDIS.url());

    @BeforeAll
    static void start() throws Exception {
        StringBuilder operators = new StringBuilder("operators:\n");
        for (String role : List.of("view", "operate", "admin")) {
            List<String> lines = CliRun.of("operator", "token", "--name", role + "er", "--role", role)
                    .out()
                    .lines()
                    .toList();
            operators.append(lines.get(3)).append('\n');
            TOKENS.put(role, lines.get(1));
        }
        Path known = Files.writeString(shared.resolve("operators.yaml"), operators);
        file = shared.resolve("audit.jsonl");
        done("policy", "apply", policies("first", 5).toString(), "--redis", REDIS.url(), "--reason", "first");
        server = serve("--operators", known.toString(), "--refund-token", REFUNDS, "--audit-log", file.toString());
        address = server.awaitLine("listening on (http://\\S+)");
    }

    /** Starts a server on whose checks Redis decides, however slow this machine is. */
    private static ServerProcess serve(String... more) throws IOException {
        List<String> words = new ArrayList<>(List.of("serve", "--port", "0", "--policies", "redis"));
        words.addAll(List.of("--fallback", "none", "--redis", REDIS.url(), "--redis-timeout", "4s"));
        words.addAll(List.of(more));
        return ServerProcess.start(words.toArray(String[]::new));
    }

    @AfterAll
    static void stop() {
        server.close();
        REDIS.close();
    }

    @BeforeEach
    void forget() throws Exception {
        Files.writeString(file, "");
        probe.command("DEL", CHANGES, "hg:{audit}:items", "hg:{audit}:events", "hg:queues");
        for (Object key : (List<?>) Objects.requireNonNull(probe.command("KEYS", "hg:q:*"))) {
            probe.command("DEL", String.valueOf(key));
        }
    }

    @AfterEach
    void close() {
        queues.close();
        probe.close();
    }

    private static Path policies(String name, int permits) throws Exception {
        return Files.writeString(shared.resolve(name + ".yaml"), yaml(permits));
    }

    private static String yaml(int permits) {
        return """
                policies:
                  login:
                    rules:
                      per-ip:
                        by: ip
                        sliding-window: { permits: %d, window: 1h }
                        ban: { after: 3, within: 10m, for: 1h }
                """.formatted(permits);
    }

    /** Runs a command, which gives Redis time if it has an option for that. */
    private static CliRun run(String... words) {
        List<String> all = new ArrayList<>(List.of(words));
        if (all.contains("--redis") && !all.get(0).equals("policy")) {
            all.addAll(List.of("--redis-timeout", "4s"));
        }
        return CliRun.of(all.toArray(String[]::new));
    }

    private static CliRun done(String... words) {
        CliRun run = run(words);
        assertThat(run.exitCode()).as(run.err()).isZero();
        return run;
    }

    private static HttpResponse<String> send(String token, String method, String path, String body) throws Exception {
        HttpRequest.Builder request = HttpRequest.newBuilder(URI.create(address + path))
                .version(HttpClient.Version.HTTP_1_1)
                .header("Authorization", "Bearer " + TOKENS.getOrDefault(token, token))
                .method(method, HttpRequest.BodyPublishers.ofString(body));
        if (!body.isEmpty()) {
            request.header("Content-Type", "application/json");
        }
        return CLIENT.send(request.build(), HttpResponse.BodyHandlers.ofString());
    }

    private static JsonNode ok(String role, String method, String path, String body) throws Exception {
        HttpResponse<String> response = send(role, method, path, body);
        assertThat(response.statusCode()).as(response.body()).isEqualTo(200);
        return Json.MAPPER.readTree(response.body());
    }

    private static List<JsonNode> stored(String... options) throws Exception {
        List<String> words = new ArrayList<>(List.of("audit", "--redis", REDIS.url(), "--json"));
        words.addAll(List.of(options));
        return lines(done(words.toArray(String[]::new)).out());
    }

    private static List<JsonNode> lines(String text) throws Exception {
        List<JsonNode> records = new ArrayList<>();
        for (String line : text.lines().toList()) {
            records.add(Json.MAPPER.readTree(line));
        }
        return records;
    }

    /** All records except those of refused calls, which the server may still write after the test that caused them. */
    private static List<JsonNode> changes() throws Exception {
        return stored().stream()
                .filter(one -> !one.get("action").asText().equals("operator.refused"))
                .toList();
    }

    private static List<JsonNode> awaitChanges(int count) {
        Await.until("records", LONG, () -> {
            try {
                return changes().size() >= count;
            } catch (Exception e) {
                throw new AssertionError(e);
            }
        });
        try {
            return changes();
        } catch (Exception e) {
            throw new AssertionError(e);
        }
    }

    /** The action, target, outcome, state before and state after of a record. */
    private static String text(JsonNode record) {
        return record.path("action").asText() + " " + record.path("target").asText() + " "
                + record.path("outcome").asText() + " " + record.path("before") + " " + record.path("after");
    }

    @Test
    void a_change_over_http_is_one_record_with_who_what_when_and_from_where() throws Exception {
        String ban = "{\"attribute\":\"user\",\"value\":\"mallory\",\"permanent\":true,\"reason\":\"card testing\"}";
        ok("operate", "POST", "/v1/bans", ban);
        ok("operate", "POST", "/v1/bans/lift", "{\"attribute\":\"user\",\"value\":\"mallory\"}");
        assertThat(send("operate", "POST", "/v1/bans/lift", "{\"attribute\":\"user\",\"value\":\"eve\"}")
                        .statusCode())
                .isEqualTo(404);

        List<JsonNode> found = awaitChanges(3);
        assertThat(found).hasSize(3);
        JsonNode added = found.get(0);
        assertThat(added.get("time").asText()).matches("\\d{4}-\\d\\d-\\d\\dT[\\d:.]+Z");
        assertThat(added.get("operator").asText()).isEqualTo("operateer");
        assertThat(added.get("role").asText()).isEqualTo("operate");
        assertThat(added.get("via").asText()).isEqualTo("http");
        assertThat(added.get("from").asText()).isEqualTo("127.0.0.1");
        assertThat(added.get("action").asText()).isEqualTo("ban.add");
        assertThat(added.get("target").asText()).isEqualTo("user=mallory");
        assertThat(added.get("outcome").asText()).isEqualTo("done");
        assertThat(added.get("reason").asText()).isEqualTo("card testing");
        assertThat(added.has("before")).isFalse();
        assertThat(added.get("after").get("kind").asText()).isEqualTo("ban");
        assertThat(added.get("after").get("by").asText()).isEqualTo("operateer");
        assertThat(found.get(1).get("before")).isEqualTo(added.get("after"));
        assertThat(text(found.get(2))).isEqualTo("ban.lift user=eve failed  ");
        assertThat(found.get(2).get("detail").asText()).isEqualTo("404");
        Await.until("lines", LONG, () -> count(file) >= 3);
        assertThat(lines(Files.readString(file)).stream()
                        .map(AuditRecordsIT::text)
                        .filter(line -> !line.startsWith("operator.refused")))
                .isEqualTo(found.stream().map(AuditRecordsIT::text).toList());
    }

    private static long count(Path path) {
        try {
            return Files.readAllLines(path).size();
        } catch (IOException e) {
            throw new java.io.UncheckedIOException(e);
        }
    }

    @Test
    void changes_of_queues_over_http_are_records_and_reads_are_none() throws Exception {
        JobId dead = mails.enqueue(SECRET).id();
        mails.claim(1, Duration.ofMinutes(1)).get(0).deadLetter(SECRET);
        ok("operate", "POST", "/v1/queues/mails/jobs", "{\"payload\":\"" + SECRET + "\"}");
        String once = "{\"payload\":\"" + SECRET + "\",\"once\":\"key of it\"}";
        ok("operate", "POST", "/v1/queues/mails/jobs", once);
        ok("operate", "POST", "/v1/queues/mails/jobs", once);
        ok("operate", "GET", "/v1/queues/mails/jobs", "");
        ok("operate", "GET", "/v1/queues/mails/jobs/" + dead, "");
        ok("operate", "POST", "/v1/queues/mails/audit", "{}");
        ok("operate", "POST", "/v1/queues/mails/redrive", "{\"dryRun\":true}");
        ok("operate", "POST", "/v1/queues/mails/pause", "{}");
        ok("operate", "POST", "/v1/queues/mails/resume", "{}");
        ok("operate", "POST", "/v1/queues/mails/redrive", "{}");
        ok("operate", "DELETE", "/v1/queues/mails/jobs/" + dead, "");
        ok("admin", "POST", "/v1/queues/mails/purge", "{\"state\":\"waiting\"}");
        ok("operate", "POST", "/v1/queues/mails/redrive", "{}");
        ok("admin", "POST", "/v1/queues/mails/purge", "{\"state\":\"dead\"}");

        List<JsonNode> found = awaitChanges(9);
        assertThat(found.stream().map(AuditRecordsIT::text))
                .containsExactlyInAnyOrder(
                        "job.enqueue mails done  {\"jobs\":2}",
                        "queue.pause mails done {\"paused\":false} {\"paused\":true}",
                        "queue.resume mails done {\"paused\":true} {\"paused\":false}",
                        "queue.redrive mails done {\"dead\":1} {\"redriven\":1,\"dead\":0}",
                        "job.cancel mails/" + dead + " done {\"state\":\"waiting\"} {\"state\":\"cancelled\"}",
                        "job.enqueue mails not-changed  {\"jobs\":0}",
                        "queue.purge mails done {\"waiting\":2} {\"purged\":2,\"waiting\":0}",
                        "queue.redrive mails not-changed {\"dead\":0} {\"redriven\":0,\"dead\":0}",
                        "queue.purge mails not-changed {\"dead\":0} {\"purged\":0,\"dead\":0}");
        assertThat(found.toString()).doesNotContain(SECRET, "key of it");
    }

    @Test
    void versions_of_policies_are_records_without_their_texts() throws Exception {
        String texts = "\"texts\":[{\"name\":\"api.yaml\",\"yaml\":"
                + new String(Json.bytes(yaml(7)), StandardCharsets.UTF_8) + "}]";
        String first = ok("admin", "GET", "/v1/policies", "").get("version").asText();
        String next = ok("admin", "POST", "/v1/policies", "{" + texts + ",\"reason\":\"more logins\"}")
                .get("version")
                .asText();
        ok("admin", "POST", "/v1/policies", "{" + texts + ",\"reason\":\"the same again\"}");
        String back = ok("admin", "POST", "/v1/policies/rollback", "{\"version\":\"" + first + "\"}")
                .get("version")
                .asText();

        List<JsonNode> found = awaitChanges(2);
        assertThat(found.stream().map(AuditRecordsIT::text))
                .containsExactly(
                        "policy.apply policies done {\"version\":\"" + first + "\"} {\"version\":\"" + next
                                + "\",\"changes\":1}",
                        "policy.rollback policies done {\"version\":\"" + next + "\"} {\"version\":\"" + back
                                + "\",\"changes\":1}");
        assertThat(found.get(0).get("reason").asText()).isEqualTo("more logins");
        assertThat(found.toString()).doesNotContain("sliding-window");
    }

    @Test
    void a_shadow_version_and_its_removal_are_records_with_a_target_of_their_own() throws Exception {
        String texts = "\"texts\":[{\"name\":\"api.yaml\",\"yaml\":"
                + new String(Json.bytes(yaml(9)), StandardCharsets.UTF_8) + "}]";
        String shadow = ok("admin", "POST", "/v1/policies", "{" + texts + ",\"reason\":\"try\",\"shadow\":true}")
                .get("version")
                .asText();
        ok("admin", "DELETE", "/v1/policies/shadow", "");
        ok("admin", "DELETE", "/v1/policies/shadow", "");

        assertThat(awaitChanges(2).stream().map(AuditRecordsIT::text))
                .containsExactly(
                        "policy.apply shadow policies done  {\"version\":\"" + shadow + "\",\"changes\":1}",
                        "policy.discard shadow policies done {\"version\":\"" + shadow + "\"} ");
    }

    @Test
    void refunds_are_counted_and_refused_calls_are_recorded() throws Exception {
        String refund = "{\"policy\":\"login\",\"attributes\":{\"ip\":\"192.0.2.9\"},\"permits\":2}";
        ok(REFUNDS, "POST", "/v1/check", refund);
        for (int i = 0; i < 20; i++) {
            ok(REFUNDS, "POST", "/v1/refund", refund);
        }
        assertThat(send("view", "POST", "/v1/queues/mails/pause", "{}").statusCode())
                .isEqualTo(403);
        assertThat(send("a-wrong-token-of-a-stranger", "POST", "/v1/bans", "{}").statusCode())
                .isEqualTo(401);

        // Refused calls of other tests may come later, and have other targets.
        Await.until(
                "records", LONG, () -> refused("pause \"mails\"") == 1 && refused("add a ban") == 1 && refunds() == 20);
        assertThat(stored("--action", "operator.refused").toString()).doesNotContain("wrong-token");
        JsonNode known = stored("--action", "operator.refused", "--target", "pause \"mails\"")
                .get(0);
        assertThat(known.get("operator").asText() + " " + known.get("role").asText() + " "
                        + known.get("target").asText() + " "
                        + known.get("detail").asText())
                .isEqualTo("viewer view pause \"mails\" 403");
        JsonNode first = stored("--action", "limit.refund").get(0);
        assertThat(first.get("from").asText()).isEqualTo("127.0.0.1");
        assertThat(first.get("target").asText()).isEqualTo("login ip=192.0.2.9");
        assertThat(stored("--action", "limit.refund").stream()
                        .mapToLong(one -> one.get("after").get("permits").asLong())
                        .sum())
                .isEqualTo(2);
    }

    private static long refused(String target) {
        try {
            return stored("--action", "operator.refused", "--target", target).size();
        } catch (Exception e) {
            throw new AssertionError(e);
        }
    }

    private static long refunds() {
        try {
            return stored("--action", "limit.refund").stream()
                    .mapToLong(one -> one.path("count").asLong(1))
                    .sum();
        } catch (Exception e) {
            throw new AssertionError(e);
        }
    }

    @Test
    void a_ban_by_a_rule_that_two_servers_begin_is_one_record() throws Exception {
        try (ServerProcess other = serve()) {
            String second = other.awaitLine("listening on (http://\\S+)");
            String check = "{\"policy\":\"login\",\"attributes\":{\"ip\":\"192.0.2.77\"}}";
            List<CompletableFuture<?>> requests = new ArrayList<>();
            for (int i = 0; i < 50; i++) {
                for (String one : List.of(address, second)) {
                    requests.add(CLIENT.sendAsync(
                            HttpRequest.newBuilder(URI.create(one + "/v1/check"))
                                    .header("Content-Type", "application/json")
                                    .POST(HttpRequest.BodyPublishers.ofString(check))
                                    .build(),
                            HttpResponse.BodyHandlers.ofString()));
                }
            }
            requests.forEach(CompletableFuture::join);
            awaitChanges(1);
            other.terminate();
            other.awaitExit(); // so that it has written all of its records
        }
        List<JsonNode> found = changes();
        assertThat(found).hasSize(1);
        assertThat(text(found.get(0)))
                .startsWith("ban.begin ip=192.0.2.77 done ")
                .contains("\"rule\":\"per-ip\"");
        assertThat(found.get(0).get("via").asText()).isEqualTo("rule");
        assertThat(found.get(0).has("count")).isFalse();

        done("ban", "lift", "ip=192.0.2.77", "--policy", "login", "--rule", "per-ip", "--redis", REDIS.url());
        JsonNode lifted = changes().get(1);
        assertThat(lifted.get("action").asText()).isEqualTo("ban.lift");
        assertThat(lifted.get("before").get("rule").asText()).isEqualTo("per-ip");
    }

    @Test
    void changes_from_the_command_line_are_records() throws Exception {
        String[] redis = {"--redis", REDIS.url()};
        JobId dead = mails.enqueue(SECRET).id();
        mails.claim(1, Duration.ofMinutes(1)).get(0).deadLetter(SECRET);
        done("ban", "add", "user=mallory", "--for", "1h", "--reason", "scraping", redis[0], redis[1]);
        done("ban", "add", "user=mallory", "--for", "2h", redis[0], redis[1]);
        done("ban", "add", "user=eve", "--for", "2h", "--dry-run", redis[0], redis[1]);
        done("ban", "lift", "user=mallory", redis[0], redis[1]);
        done("queue", "enqueue", "mails", SECRET, redis[0], redis[1]);
        done("queue", "retry", "mails", dead.value(), redis[0], redis[1]);
        done("queue", "pause", "mails", redis[0], redis[1]);
        done("queue", "purge", "mails", "--yes", redis[0], redis[1]);
        done("policy", "apply", policies("next", 8).toString(), "--reason", "more", redis[0], redis[1]);
        done("policy", "apply", policies("next", 8).toString(), "--reason", "again", redis[0], redis[1]);

        List<JsonNode> found = changes();
        assertThat(found)
                .extracting(one -> one.get("action").asText())
                .containsExactly(
                        "ban.add",
                        "ban.add",
                        "ban.lift",
                        "job.enqueue",
                        "job.retry",
                        "queue.pause",
                        "queue.purge",
                        "policy.apply");
        assertThat(found).allSatisfy(one -> {
            assertThat(one.get("via").asText()).isEqualTo("command-line");
            assertThat(one.get("operator").asText()).isEqualTo(LocalOperator.user());
            assertThat(one.get("from").asText()).isEqualTo(LocalOperator.host());
            assertThat(one.has("role")).isFalse();
        });
        assertThat(found.get(0).get("reason").asText()).isEqualTo("scraping");
        assertThat(found.get(1).get("before")).isEqualTo(found.get(0).get("after"));
        assertThat(text(found.get(4)))
                .isEqualTo("job.retry mails/" + dead + " done {\"state\":\"dead\"} {\"state\":\"due now\"}");
        assertThat(found.toString()).doesNotContain(SECRET);
    }

    @Test
    void many_jobs_of_a_command_are_one_record_with_their_number() throws Exception {
        List<String> words = new ArrayList<>(List.of("queue", "cancel", "mails", "--yes", "--redis", REDIS.url()));
        for (int i = 0; i < 30; i++) {
            words.add(mails.enqueue("x").id().value());
        }
        words.add("f".repeat(30));
        CliRun run = run(words.toArray(String[]::new));

        assertThat(run.exitCode()).isEqualTo(1);
        assertThat(run.out()).hasLineCount(31);
        List<JsonNode> found = changes();
        assertThat(found)
                .extracting(AuditRecordsIT::text)
                .containsExactly("job.cancel mails done  {\"changed\":30,\"notChanged\":1}");
        assertThat(found.get(0).get("count").asInt()).isEqualTo(31);
    }

    @Test
    void a_dry_run_opens_no_file() {
        done("ban", "add", "user=a", "--permanent", "--dry-run", "--audit-log", "/missing/x", "--redis", REDIS.url());
    }

    @Test
    void following_ends_when_no_program_reads_the_output() {
        CommandLine line = Main.commandLine();
        line.setOut(new PrintWriter(new Writer() {
            @Override
            public void write(char[] text, int start, int length) throws IOException {
                throw new IOException("broken pipe");
            }

            @Override
            public void flush() {}

            @Override
            public void close() {}
        }));
        done("ban", "add", "user=a", "--permanent", "--redis", REDIS.url());

        assertThat(line.execute("audit", "--follow", "--redis", REDIS.url(), "--redis-timeout", "4s"))
                .isZero();
    }

    @Test
    void a_record_that_cannot_be_written_fails_the_command_after_the_change() {
        probe.command("SET", CHANGES, "foreign");
        mails.enqueue("x");
        CliRun run = run("queue", "pause", "mails", "--redis", REDIS.url());

        assertThat(run.exitCode()).isEqualTo(1);
        assertThat(run.err())
                .startsWith("headgate: the audit log in Redis lacks a record, which is on standard error: append "
                        + CHANGES + ": ");
        assertThat(mails.counts().paused()).isTrue();

        CliRun read = run("audit", "--redis", REDIS.url());
        assertThat(read.exitCode()).isEqualTo(1);
        assertThat(read.err()).startsWith("headgate: read " + CHANGES + ": ");
    }

    @Test
    void a_call_over_http_whose_record_cannot_be_written_is_made() throws Exception {
        probe.command("SET", CHANGES, "foreign");
        mails.enqueue("x");
        ok("operate", "POST", "/v1/queues/mails/pause", "{}");

        assertThat(mails.counts().paused()).isTrue();
        server.awaitLine("the audit log in Redis lacks records: ");
        Await.until("the line in the file", LONG, () -> count(file) >= 1);
    }

    @Test
    void the_log_is_filtered_and_followed() throws Exception {
        String[] redis = {"--redis", REDIS.url()};
        try (ServerProcess follower = ServerProcess.start(
                "audit", "--follow", "--action", "ban.lift", "--redis", REDIS.url(), "--redis-timeout", "4s")) {
            done("ban", "add", "user=mallory", "user=eve", "--permanent", redis[0], redis[1]);
            done("ban", "lift", "user=mallory", redis[0], redis[1]);
            String line = follower.awaitLine(" ban.lift ");
            assertThat(line)
                    .matches("\\S+Z " + LocalOperator.name()
                            + " ban.lift user=mallory: ban of user=\"mallory\" for good");
            done("ban", "lift", "user=eve", redis[0], redis[1]);
            follower.awaitLine(" ban.lift user=eve: ");
            follower.terminate();
            assertThat(follower.awaitExit()).isZero();
            assertThat(follower.output()).noneMatch(other -> other.contains("ban.add"));
        }
        assertThat(stored("--limit", "1"))
                .extracting(AuditRecordsIT::text)
                .allMatch(text -> text.startsWith("ban.lift user=eve"));
        assertThat(stored("--target", "user=m")).hasSize(2);
        assertThat(stored("--operator", "stranger")).isEmpty();
        assertThat(stored("--since", "1h", "--target", "user=")).hasSize(4);
        assertThat(stored("--since", "2099-01-01T00:00:00Z")).isEmpty();
    }

    @Test
    void wrong_options_are_refused() {
        for (List<String> words : List.of(
                List.of("--limit", "0"), List.of("--since", "yesterday"), List.of("--action", "ban"), List.of("x"))) {
            List<String> all = new ArrayList<>(List.of("audit", "--redis", REDIS.url()));
            all.addAll(words);
            CliRun run = run(all.toArray(String[]::new));
            assertThat(run.exitCode()).as(words.toString()).isEqualTo(2);
            assertThat(run.err()).contains(words.get(words.size() - 1));
        }
        assertThat(run("audit", "--action", "ban", "--redis", REDIS.url()).err())
                .contains("\"ban\" is not one of ban.add, ban.lift, ");
    }

    @Test
    void operators_read_the_log_over_http_page_by_page() throws Exception {
        done("ban", "add", "user=a", "user=b", "user=c", "user=d", "--permanent", "--redis", REDIS.url());

        JsonNode last = ok("view", "GET", "/v1/audit?limit=2", "");
        assertThat(last.get("records").findValuesAsText("target")).containsExactly("user=c", "user=d");
        JsonNode before =
                ok("view", "GET", "/v1/audit?before=" + last.get("previous").asText(), "");
        assertThat(before.get("records").findValuesAsText("target")).containsExactly("user=a", "user=b");
        assertThat(before.has("previous")).isFalse();
        assertThat(ok("view", "GET", "/v1/audit?after=" + last.get("next").asText(), "")
                        .get("records"))
                .isEmpty();
        JsonNode first = ok("view", "GET", "/v1/audit?after=0-0&limit=3", "");
        assertThat(first.get("records").findValuesAsText("target")).containsExactly("user=a", "user=b", "user=c");
        assertThat(ok("view", "GET", "/v1/audit?after=" + first.get("next").asText(), "")
                        .get("records")
                        .findValuesAsText("target"))
                .containsExactly("user=d");
        assertThat(ok("view", "GET", "/v1/audit?target=user=b&action=ban.add&since=1h", "")
                        .get("records"))
                .hasSize(1);
        for (String wrong : List.of(
                "limit=0",
                "limit=501",
                "after=x",
                "before=x",
                "action=ban",
                "since=x",
                "x=1",
                "after=0-0&before=0-0")) {
            HttpResponse<String> response = send("view", "GET", "/v1/audit?" + wrong, "");
            assertThat(response.statusCode()).as(wrong).isEqualTo(400);
            assertThat(Json.MAPPER.readTree(response.body()).get("detail").asText())
                    .as("the error names the parameter")
                    .contains(wrong.substring(0, wrong.indexOf('=')));
        }
        assertThat(ok("view", "GET", "/v1/audit?before=0-0", "").get("records")).isEmpty();
        assertThat(send("a-wrong-token-of-a-stranger", "GET", "/v1/audit", "").statusCode())
                .isEqualTo(401);
        assertThat(send("view", "POST", "/v1/audit", "{}").statusCode()).isEqualTo(405);
        // So that the record is not the last one of the next test.
        Await.until("the record of the refused call", LONG, () -> refused("read the audit log") == 1);
    }
}
