package io.headgate.server.queues.http;

import static io.headgate.server.queues.http.QueueHttp.assertProblem;
import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import io.headgate.queues.Codec;
import io.headgate.queues.Job;
import io.headgate.queues.Priority;
import io.headgate.testkit.RedisProbe;
import java.net.http.HttpResponse;
import java.time.Duration;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Queues over HTTP: counts, enqueue, pause and resume. */
class QueueApiIT {

    private static final QueueHttp http = new QueueHttp();

    @AfterAll
    static void stop() {
        http.close();
    }

    @AfterEach
    void drain() {
        http.drain();
    }

    @Test
    void every_client_may_read_counts() {
        http.queue.enqueue("one");
        http.queue.enqueue("two", Duration.ofDays(1));
        JsonNode counts = QueueHttp.read(http.send(http.request("/mails").GET()));
        assertThat(counts.get("queue").asText()).isEqualTo("mails");
        assertThat(counts.get("ready").asInt()).isEqualTo(1);
        assertThat(counts.get("delayed").asInt()).isPositive();
        assertThat(counts.get("oldestDueSeconds").isNumber()).isTrue();
        assertThat(counts.get("paused").asBoolean()).isFalse();
    }

    @Test
    void a_queue_with_a_foreign_value_does_not_hide_the_others() {
        http.queue.enqueue("one");
        http.queues.queue("bills", Codec.text()).enqueue("one");
        try (RedisProbe probe = RedisProbe.of(http.redis.url())) {
            probe.command("SET", "hg:q:{bills}", "hello");
            JsonNode queues = QueueHttp.read(http.send(http.request("").GET())).get("queues");
            probe.command("DEL", "hg:q:{bills}");
            List<String> names = queues.findValuesAsText("queue");
            assertThat(names).contains("mails", "bills");
            assertThat(queues.get(names.indexOf("mails")).get("ready").asInt()).isEqualTo(1);
            assertThat(queues.get(names.indexOf("bills")).get("problem").asText())
                    .startsWith("hg:q:{bills} holds something");
        }
    }

    @Test
    void a_job_is_enqueued_with_its_time_priority_key_and_headers() {
        JsonNode response = http.posted("/mails/jobs", """
                {"payload": "welcome, älice", "at": "2001-01-01T00:00:00Z", "priority": "high",
                 "once": "bill-1", "headers": {"source": "import"}}""");
        assertThat(response.get("outcome").asText()).isEqualTo("added");

        Job<String> job = http.queue.claim(1, Duration.ofMinutes(1)).get(0).job();
        assertThat(job.id().value()).isEqualTo(response.get("id").asText());
        assertThat(job.payload()).isEqualTo("welcome, älice");
        assertThat(job.priority()).isEqualTo(Priority.HIGH);
        assertThat(job.key()).contains("bill-1");
        assertThat(job.headers()).isEqualTo(Map.of("source", "import"));

        assertThat(http.posted("/mails/jobs", "{\"payload\": \"again\", \"once\": \"bill-1\"}")
                        .get("outcome")
                        .asText())
                .isEqualTo("same");

        String later = http.posted("/mails/jobs", "{\"payload\": \"x\", \"at\": \"2100-01-01T01:00:00+01:00\"}")
                .get("id")
                .asText();
        assertThat(http.got("/mails/jobs/" + later).get("dueAt").asText()).isEqualTo("2100-01-01T00:00:00Z");
    }

    @Test
    void several_jobs_are_enqueued_in_one_call() {
        JsonNode response = http.posted(
                "/mails/jobs",
                "{\"jobs\": [{\"payload\": \"a\"}, {\"payloadBase64\": \"/w==\", \"delaySeconds\": 0}]}");
        assertThat(response.get("jobs")).hasSize(2);
        assertThat(http.queues.queue("mails", Codec.bytes()).claim(2, Duration.ofMinutes(1)))
                .extracting(lease -> lease.job().payload())
                .containsExactly(new byte[] {'a'}, new byte[] {(byte) 0xff});
    }

    @Test
    void a_payload_of_256_KiB_fits_and_one_byte_more_does_not() {
        String large = "x".repeat(256 << 10);
        http.posted("/mails/jobs", "{\"payload\": \"" + large + "\"}");
        assertThat(http.drain()).containsExactly(large);
        assertProblem(
                http.post("/mails/jobs", "{\"payload\": \"" + large + "x\"}"),
                400,
                "a payload must be at most 262144 bytes, was 262145");
        assertProblem(
                http.post("/mails/jobs", "{\"payload\": \"" + large.repeat(8) + "\"}"),
                413,
                "the body must be at most 2097152 bytes");
    }

    @Test
    void too_many_jobs_for_one_call_are_400_and_the_error_states_the_bound() {
        String large = "{\"payload\": \"" + "x".repeat(256 << 10) + "\"}";
        String later = "{\"payload\": \"x\", \"delaySeconds\": 60}";
        assertProblem(
                http.post("/mails/jobs", jobs(large, 4)), 400, "bytes of all jobs must be from 0 to 524288, was 10485");
        assertProblem(
                http.post("/mails/jobs", jobs(later, 201)),
                400,
                "number of delayed or keyed jobs must be from 0 to 200, was 201");
        assertThat(http.queue.counts().ready()).isZero();
        assertThat(http.posted("/later/jobs", jobs(later, 200)).get("jobs")).hasSize(200);
    }

    private static String jobs(String one, int count) {
        return "{\"jobs\": [" + String.join(", ", Collections.nCopies(count, one)) + "]}";
    }

    @Test
    void a_queue_is_paused_and_resumed() {
        http.queue.enqueue("one");
        assertThat(http.posted("/mails/pause", "{}").get("paused").asBoolean()).isTrue();
        assertThat(http.drain()).isEmpty();
        assertThat(QueueHttp.read(http.send(http.operator("/mails/resume").POST(QueueHttp.json(""))))
                        .get("paused")
                        .asBoolean())
                .isFalse();
        assertThat(http.drain()).containsExactly("one");
    }

    @ParameterizedTest(name = "{index}: {1}")
    @CsvSource(delimiter = '|', quoteCharacter = '`', textBlock = """
            ``                                        | the body must be a JSON object such as {"payload": "welcome, alice", "delaySeconds": 300}, was empty
            []                                        | the body must be a JSON object such as {"payload": "welcome, alice", "delaySeconds": 300}, was an array
            {}                                        | give exactly one of payload (text) and payloadBase64 (bytes)
            {"payload": 7}                            | payload must be a string, was a number
            {"payload": "x", "payloadBase64": "eA=="} | give exactly one of payload (text) and payloadBase64 (bytes)
            {"payloadBase64": "%"}                    | payloadBase64 must be standard Base64 (with + and /, not - and _)
            {"payload": "x", "ttl": 5}                | unknown member "ttl"; allowed are payload, payloadBase64, delaySeconds, at, priority, once, replacing, headers, group, tenant, jobs
            {"payload": "x", "delaySeconds": -1}      | delaySeconds must be from 0 to 316224000, was "-1"
            {"payload": "x", "delaySeconds": 1e999}   | delaySeconds must be from 0 to 316224000
            {"payload": "x", "delaySeconds": "5m"}    | delaySeconds must be a number, was a string
            {"payload": "x", "at": "tomorrow"}        | at: "tomorrow" is not a time with its offset from UTC
            {"payload": "x", "at": "2300-01-01T00:00:00Z"} | a job may be due from 1970 to the end of 2199
            {"payload": "x", "at": "2030-01-01T00:00:00Z", "delaySeconds": 1} | give either delaySeconds or at
            {"payload": "x", "priority": "urgent"}    | priority must be high, normal or low, was "urgent"
            {"payload": "x", "once": ""}              | key of a job must be 1 to 255 bytes of UTF-8
            {"payload": "x", "once": "a", "replacing": "b"} | give either once or replacing
            {"payload": "x", "headers": {"a": 1}}     | header "a" must be a string, was a number
            {"payload": "x", "headers": {"": "v"}}    | name of a header must not be empty
            {"payload": "half \\ud83d"}               | payload has half of a surrogate pair
            {"payload": "x", "once": "\\udc00"}       | once has half of a surrogate pair
            {"payload": "x", "replacing": "\\ud800"}  | replacing has half of a surrogate pair
            {"payload": "x", "headers": {"a": "\\ud800"}} | header "a" has half of a surrogate pair
            {"payload": "x", "headers": {"\\ud800": "a"}} | the body is not JSON, line 1, column
            {"jobs": [{"payload": "x"}, {"payload": "\\ud800"}]} | payload has half of a surrogate pair
            {"jobs": []}                              | jobs must be an array of 1 to 500 objects, was an array of 0
            {"jobs": {}}                              | jobs must be an array of 1 to 500 objects, was an object
            {"jobs": ["x"]}                           | each of jobs must be a JSON object such as
            {"jobs": [{"payload": "x", "jobs": []}]}  | unknown member "jobs"
            {"jobs": [{"payload": "x"}], "payload": "y"} | give either the array jobs or the members of one job, not both
            """)
    void an_invalid_body_is_400_with_the_reason_and_enqueues_nothing(String body, String detail) {
        assertProblem(http.post("/mails/jobs", body), 400, detail);
        assertThat(http.queue.counts().ready()).isZero();
    }

    @Test
    void invalid_names_parameters_methods_and_types_are_rejected() {
        assertProblem(http.send(http.request("/bad%3Aname").GET()), 400, "name of a queue must be 1 to 64 of");
        assertProblem(http.send(http.request("/mails?x=1").GET()), 400, "unknown parameter \"x\"; this path has none");
        assertProblem(http.post("/mails/pause", "{\"for\": 5}"), 400, "unknown member \"for\"");
        HttpResponse<String> get = http.send(http.operator("/mails/pause").GET());
        assertProblem(get, 405, "method GET is not allowed; allowed: POST");
        assertThat(get.headers().firstValue("Allow")).contains("POST");
        assertProblem(
                http.send(http.operator("/mails/jobs")
                        .header("Content-Type", "text/plain")
                        .POST(QueueHttp.json("{\"payload\": \"x\"}"))),
                415,
                "the content type must be application/json, was \"text/plain\"");
    }
}
