package io.headgate.server.queues.http;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import io.headgate.queues.Codec;
import io.headgate.queues.JobId;
import io.headgate.queues.JobQueue;
import io.headgate.queues.Lease;
import io.headgate.queues.QueueSettings;
import io.headgate.server.text.Json;
import io.headgate.testkit.RedisProbe;
import java.net.http.HttpResponse;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.Test;

/** A queue of eight shards is one queue over HTTP. */
class QueueShardsApiIT {

    private static final QueueHttp http = new QueueHttp();

    @AfterAll
    static void stop() {
        http.close();
    }

    /** Opens a queue of eight shards, and enqueues a first job, which registers the number of shards for the server. */
    private static JobQueue<String> open(String name) {
        JobQueue<String> queue = http.queues.queue(QueueSettings.of(name).withShards(8), Codec.text());
        queue.enqueue("first");
        return queue;
    }

    private static List<String> enqueue(String name, int jobs) {
        List<String> ids = new ArrayList<>();
        for (int i = 0; i < jobs; i++) {
            ids.add(http.posted("/" + name + "/jobs", "{\"payload\": \"job\", \"once\": \"key" + i + "\"}")
                    .get("id")
                    .asText());
        }
        // An id starts with its shard, in two hexadecimal digits.
        assertThat(ids.stream().map(id -> id.substring(0, 2)).distinct()).hasSizeGreaterThan(4);
        return ids;
    }

    @Test
    void jobs_of_all_shards_are_enqueued_listed_and_purged() {
        JobQueue<String> queue = open("one");
        List<String> ids = enqueue("one", 15);
        JsonNode counts = http.got("/one");
        assertThat(counts.get("ready").asInt()).isEqualTo(16);
        assertThat(counts.get("shards").asInt()).isEqualTo(8);
        assertThat(http.got("/one/jobs?max=100").get("jobs").findValuesAsText("id"))
                .hasSize(16)
                .containsAll(ids);
        ids.forEach(id ->
                assertThat(http.got("/one/jobs/" + id).get("state").asText()).isEqualTo("ready"));
        assertThat(http.posted("/one/audit", "{}").get("jobs").asInt()).isEqualTo(16);
        assertThat(http.posted("/one/purge", "{\"state\": \"ready\", \"max\": 10}")
                        .get("remaining")
                        .asInt())
                .isEqualTo(6);
        assertThat(queue.counts().ready()).isEqualTo(6);
    }

    @Test
    void dead_letters_of_all_shards_are_redriven() {
        JobQueue<String> queue = open("two");
        enqueue("two", 15);
        queue.claim(100, Duration.ofMinutes(1)).forEach(lease -> lease.deadLetter("no"));
        assertThat(http.posted("/two/redrive", "{\"max\": 6}").get("remaining").asInt())
                .isEqualTo(10);
        assertThat(http.posted("/two/redrive", "{}").get("redriven").asInt()).isEqualTo(10);
        assertThat(queue.counts().ready()).isEqualTo(16);
    }

    @Test
    void jobs_of_several_shards_are_enqueued_in_one_call() {
        open("three");
        JsonNode jobs = http.posted("/three/jobs", """
                {"jobs": [
                  {"payload": "a", "once": "a"}, {"payload": "b", "once": "b"}, {"payload": "c", "once": "a"},
                  {"payload": "d", "group": "g"}, {"payload": "e", "group": "g", "once": "a"}]}""").get("jobs");
        assertThat(jobs.findValuesAsText("outcome")).containsExactly("added", "added", "same", "added", "added");
        List<String> ids = jobs.findValuesAsText("id");
        assertThat(ids.get(0).substring(0, 2)).isNotEqualTo(ids.get(1).substring(0, 2));
        assertThat(ids.get(3).substring(0, 2)).isEqualTo(ids.get(4).substring(0, 2));
    }

    @Test
    void jobs_of_several_tenants_are_enqueued_and_listed_with_their_tenants() {
        open("five");
        JsonNode jobs = http.posted("/five/jobs", """
                {"jobs": [
                  {"payload": "a", "tenant": "acme"}, {"payload": "b", "tenant": "globex"}, {"payload": "c"}]}""").get("jobs");
        assertThat(jobs.findValuesAsText("id").get(1)).endsWith("-globex");
        assertThat(http.got("/five/jobs?state=ready").get("jobs").findValuesAsText("tenant"))
                .containsExactlyInAnyOrder("acme", "globex");
    }

    @Test
    void when_a_shard_fails_the_problem_has_the_outcome_of_each_job() throws Exception {
        JobQueue<String> queue = open("four");
        List<String> ids = enqueue("four", 15);
        String broken = ids.get(0).substring(0, 2);
        int other = IntStream.range(1, 15)
                .filter(i -> !ids.get(i).startsWith(broken))
                .findFirst()
                .orElseThrow();
        queue.claim(100, Duration.ofMinutes(1)).forEach(Lease::ack);
        try (RedisProbe probe = RedisProbe.of(http.redis.url())) {
            int shard = Integer.parseInt(broken, 16);
            probe.command("SET", "hg:q:{four" + (shard == 0 ? "" : ":" + shard) + "}", "foreign");
        }
        HttpResponse<String> response = http.post("/four/jobs", """
                {"jobs": [{"payload": "a", "once": "key0"}, {"payload": "b", "once": "key%d"}]}""".formatted(other));
        QueueHttp.assertProblem(response, 503, "some of the jobs were enqueued and others were not");
        JsonNode jobs = Json.MAPPER.readTree(response.body()).get("jobs");
        assertThat(jobs.findValuesAsText("outcome")).containsExactly("failed", "added");
        assertThat(queue.find(new JobId(jobs.get(1).get("id").asText()))).isPresent();
    }

    @Test
    void a_cursor_that_no_page_of_a_sharded_queue_returned_is_400() {
        open("five");
        QueueHttp.assertProblem(
                http.send(http.operator("/five/jobs?from=01").GET()),
                400,
                "a cursor must be one that a page of this list returned");
    }
}
