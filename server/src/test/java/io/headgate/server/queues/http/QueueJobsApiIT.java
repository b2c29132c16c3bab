package io.headgate.server.queues.http;

import static io.headgate.server.queues.http.QueueHttp.assertProblem;
import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import io.headgate.queues.Codec;
import io.headgate.queues.JobQueue;
import io.headgate.queues.KeepDone;
import io.headgate.queues.Lease;
import io.headgate.queues.NewJob;
import io.headgate.queues.QueueSettings;
import io.headgate.testkit.RedisProbe;
import java.net.http.HttpResponse;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Jobs of queues over HTTP: list, show, cancel, retry, discard, redrive, purge and audit. */
class QueueJobsApiIT {

    private static final QueueHttp http = new QueueHttp();

    @AfterAll
    static void stop() {
        http.close();
    }

    @BeforeEach
    void empty() {
        http.drain();
        // Creates the queue: a queue that does not exist cannot be purged.
        http.posted("/mails/jobs", "{\"payload\": \"x\"}");
        http.drain();
        http.posted("/mails/purge", "{\"state\": \"waiting\"}");
        http.posted("/mails/purge", "{\"state\": \"dead\"}");
    }

    @Test
    void all_queues_are_listed() {
        http.posted("/bills/jobs", "{\"payload\": \"x\", \"delaySeconds\": 86400}");
        JsonNode queues = QueueHttp.read(http.send(http.request("").GET())).get("queues");
        assertThat(queues.findValuesAsText("queue")).contains("bills", "mails");
    }

    @Test
    void a_job_is_shown_with_its_payload_and_listed_in_its_state() {
        String id = http.queue
                .enqueue(NewJob.of("welcome")
                        .after(Duration.ofDays(1))
                        .once("k1")
                        .header("h", "v"))
                .id()
                .value();
        JsonNode job = http.got("/mails/jobs/" + id);
        assertThat(job.get("state").asText()).isEqualTo("delayed");
        assertThat(job.get("payload").asText()).isEqualTo("welcome");
        assertThat(job.get("key").asText()).isEqualTo("k1");
        assertThat(job.get("headers").get("h").asText()).isEqualTo("v");
        assertThat(job.get("priority").asText()).isEqualTo("normal");

        assertThat(http.got("/mails/jobs?state=delayed").get("jobs").findValuesAsText("id"))
                .containsExactly(id);
        assertThat(http.got("/mails/jobs").get("jobs")).isEmpty();
    }

    @Test
    void a_list_continues_after_the_previous_page() {
        http.queue.enqueueAll(List.of(NewJob.of("a"), NewJob.of("b"), NewJob.of("c")));
        JsonNode first = http.got("/mails/jobs?max=2");
        assertThat(first.get("jobs").findValuesAsText("payload")).containsExactly("a", "b");
        JsonNode second = http.got("/mails/jobs?max=2&from=" + first.get("next").asText());
        assertThat(second.get("jobs").findValuesAsText("payload")).containsExactly("c");
        assertThat(second.has("next")).isFalse();
        assertProblem(
                http.send(http.operator("/mails/jobs?state=delayed&from="
                                + first.get("next").asText())
                        .GET()),
                400,
                "cursor");
    }

    @Test
    void a_waiting_job_is_cancelled_and_a_claimed_one_is_not() {
        String id = http.queue.enqueue("one").id().value();
        assertThat(QueueHttp.read(http.send(http.operator("/mails/jobs/" + id).DELETE()))
                        .get("outcome")
                        .asText())
                .isEqualTo("cancelled");
        assertProblem(http.send(http.operator("/mails/jobs/" + id).DELETE()), 404, "queue mails has no job " + id);

        String leased = http.queue.enqueue("two").id().value();
        Lease<String> lease = http.queue.claim(1, Duration.ofMinutes(1)).get(0);
        assertProblem(
                http.send(http.operator("/mails/jobs/" + leased).DELETE()),
                409,
                "job " + leased + " was not changed, because its state is leased");
        lease.ack();
    }

    @Test
    void a_job_is_retried_by_its_state_and_a_dead_letter_is_discarded() {
        String delayed = http.queue.enqueue("delayed", Duration.ofDays(1)).id().value();
        assertThat(http.posted("/mails/jobs/" + delayed + "/retry", "")
                        .get("outcome")
                        .asText())
                .isEqualTo("due now");
        assertThat(http.drain()).containsExactly("delayed");

        String dead = dead("dead");
        assertThat(http.posted("/mails/jobs/" + dead + "/retry", "{}")
                        .get("outcome")
                        .asText())
                .isEqualTo("redriven");
        assertThat(http.drain()).containsExactly("dead");

        String gone = dead("gone");
        assertThat(http.posted("/mails/jobs/" + gone + "/discard", "{}")
                        .get("outcome")
                        .asText())
                .isEqualTo("discarded");
        assertThat(http.queue.counts().dead()).isZero();
    }

    @Test
    void dead_letters_are_redriven_in_batches_and_the_response_states_when_to_continue() {
        for (String payload : List.of("a", "b", "c")) {
            dead(payload);
        }
        JsonNode dry = http.posted("/mails/redrive", "{\"max\": 2, \"dryRun\": true}");
        assertThat(dry.get("wouldRedrive").asInt()).isEqualTo(2);
        assertThat(http.queue.counts().dead()).isEqualTo(3);

        JsonNode some = http.posted("/mails/redrive", "{\"max\": 2, \"perSecond\": 0.5}");
        assertThat(some.get("redriven").asInt()).isEqualTo(2);
        assertThat(some.get("remaining").asInt()).isEqualTo(1);
        assertThat(some.get("continueAfterSeconds").asInt()).isEqualTo(4);
        JsonNode rest = http.posted("/mails/redrive", "");
        assertThat(rest.get("redriven").asInt()).isEqualTo(1);
        assertThat(rest.get("remaining").asInt()).isZero();
    }

    @Test
    void waiting_jobs_are_purged() {
        http.queue.enqueue("ready");
        http.queue.enqueue("delayed", Duration.ofDays(1));
        assertThat(http.posted("/mails/purge", "{\"state\": \"waiting\", \"dryRun\": true}")
                        .get("wouldPurge")
                        .asInt())
                .isEqualTo(2);
        JsonNode some = http.posted("/mails/purge", "{\"state\": \"waiting\", \"max\": 1}");
        assertThat(some.get("purged").asInt()).isEqualTo(1);
        assertThat(some.get("remaining").asInt()).isEqualTo(1);
        assertThat(http.posted("/mails/purge", "{\"state\": \"delayed\"}")
                        .get("purged")
                        .asInt())
                .isEqualTo(1);
    }

    @Test
    void done_jobs_that_are_kept_are_counted_listed_and_purged() {
        QueueSettings keeping = QueueSettings.of("kept").withKeepDone(KeepDone.newest(9));
        JobQueue<String> kept = http.queues.queue(keeping, Codec.text());
        String id = kept.enqueue("done").id().value();
        kept.claim(1, Duration.ofMinutes(1)).get(0).ack();
        assertThat(http.got("/kept").get("done").asInt()).isEqualTo(1);
        JsonNode listed = http.got("/kept/jobs?state=done").get("jobs").get(0);
        assertThat(listed.get("id").asText()).isEqualTo(id);
        assertThat(listed.has("doneSince")).isTrue();
        assertProblem(
                http.post("/kept/jobs/" + id + "/retry", "{}"), 409, "was not changed, because its state is done");
        assertThat(http.posted("/kept/purge", "{\"state\": \"done\"}")
                        .get("purged")
                        .asInt())
                .isEqualTo(1);
        assertThat(http.got("/kept").get("done").asInt()).isZero();
    }

    @Test
    void a_queue_is_audited_and_repaired() {
        http.queue.enqueue("one");
        JsonNode fine = http.posted("/mails/audit", "");
        assertThat(fine.get("jobs").asInt()).isEqualTo(1);
        assertThat(fine.get("findings")).isEmpty();
        try (RedisProbe probe = RedisProbe.of(http.redis.url())) {
            probe.command("DEL", "hg:q:{mails}");
        }
        assertThat(http.posted("/mails/audit", "{}")
                        .get("findings")
                        .get(0)
                        .get("repaired")
                        .asBoolean())
                .isFalse();
        assertThat(http.posted("/mails/audit", "{\"repair\": true}")
                        .get("findings")
                        .get(0)
                        .get("repaired")
                        .asBoolean())
                .isTrue();
        http.posted("/mails/resume", "");
        assertThat(http.drain()).containsExactly("one");
    }

    @ParameterizedTest(name = "{index}: {1} {2}")
    @CsvSource(delimiter = '|', quoteCharacter = '`', textBlock = """
            GET    | /mails/jobs?state=gone     |                      | 400 | state "gone" is not one of ready, delayed, leased, dead, done
            GET    | /mails/jobs?max=0         |                      | 400 | max must be a whole number from 1 to 500, was "0"
            GET    | /mails/jobs?max=x         |                      | 400 | max must be a whole number from 1 to 500, was "x"
            GET    | /mails/jobs?max=1&max=2  |                      | 400 | parameter max must be given once
            GET    | /mails/jobs?from=x         |                      | 400 | a cursor is up to 256 hexadecimal digits
            GET    | /mails/jobs?limit=5        |                      | 400 | unknown parameter "limit"; allowed are state, max, from
            GET    | /mails/jobs/7              |                      | 400 | the id of a job is 30 hexadecimal digits in lower case, followed by a dash and its tenant if it has one, was "7"
            GET    | /mails/jobs/ffffffffffffffffffffffffffffff |      | 404 | queue mails has no job ffffffffffffffffffffffffffffff
            GET    | /nowhere/jobs              |                      | 404 | no queue is named "nowhere"; /v1/queues lists them
            GET    | /nowhere                   |                      | 404 | no queue is named "nowhere"
            POST   | /nowhere/pause             |                      | 404 | no queue is named "nowhere"
            POST   | /nowhere/redrive           | {}                   | 404 | no queue is named "nowhere"
            POST   | /nowhere/purge             | {"state": "dead"}    | 404 | no queue is named "nowhere"
            POST   | /mails/redrive             | {"max": 501}         | 400 | max must be a whole number from 1 to 500, was 501
            POST   | /mails/redrive             | {"perSecond": 0}     | 400 | jobs per second must be from 0.001 to 1000000, was "0"
            POST   | /mails/redrive             | {"perSecond": 1e400} | 400 | jobs per second must be from 0.001 to 1000000, was "1E+400"
            POST   | /mails/redrive             | {"perSecond": -1e400} | 400 | jobs per second must be from 0.001 to 1000000, was "-1E+400"
            POST   | /mails/redrive             | {"perSecond": 1e-400} | 400 | jobs per second must be from 0.001 to 1000000, was "1E-400"
            POST   | /mails/redrive             | {"perSecond": 1e99999} | 400 | perSecond must be a number of at most 1000 digits before and after the point, was 1E+99999
            POST   | /mails/redrive             | {"perSecond": 1e-999999999} | 400 | perSecond must be a number of at most 1000 digits before and after the point, was 1E-999999999
            POST   | /mails/redrive             | {"perSecond": NaN}   | 400 | column 18: "Non-standard token 'NaN'"
            POST   | /mails/redrive             | {"dryRun": "yes"}    | 400 | dryRun must be true or false, was a string
            POST   | /mails/purge               |                      | 400 | the body must be a JSON object
            POST   | /mails/purge               | {}                   | 400 | state must be a string, was absent
            POST   | /mails/purge               | {"state": "leased"}  | 400 | claimed jobs cannot be deleted
            POST   | /nowhere/audit             | {"repair": true}     | 404 | no queue is named "nowhere"
            POST   | /mails/audit               | {"repair": 1}        | 400 | repair must be true or false, was a number
            POST   | /mails/jobs/7/retry        | {}                   | 400 | the id of a job is 30 hexadecimal digits
            """)
    void an_invalid_request_is_a_problem_that_states_what_is_allowed(
            String method, String path, String body, int status, String detail) {
        HttpResponse<String> response = http.send(http.operator(path)
                .header("Content-Type", "application/json")
                .method(method, QueueHttp.json(body == null ? "" : body)));
        assertProblem(response, status, detail);
        assertThat(http.queues.names()).doesNotContain("nowhere");
    }

    @ParameterizedTest
    @CsvSource({
        "GET, /mails/jobs",
        "GET, /mails/jobs/ffffffffffffffffffffffffffffff",
        "DELETE, /mails/jobs/ffffffffffffffffffffffffffffff",
        "POST, /mails/jobs/ffffffffffffffffffffffffffffff/retry",
        "POST, /mails/jobs/ffffffffffffffffffffffffffffff/discard",
        "POST, /mails/redrive",
        "POST, /mails/purge",
        "POST, /mails/audit",
    })
    void payloads_and_changes_require_the_token(String method, String path) {
        assertProblem(
                http.send(http.request(path)
                        .header("Content-Type", "application/json")
                        .method(method, QueueHttp.json("{}"))),
                401,
                "an operator call needs");
    }

    /** Creates a dead letter, and returns its id. */
    private static String dead(String payload) {
        String id = http.queue.enqueue(payload).id().value();
        http.queue.claim(1, Duration.ofMinutes(1)).get(0).deadLetter("no such address");
        return id;
    }
}
