package io.headgate.server.queues.http;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import io.headgate.queues.Codec;
import io.headgate.queues.Queue;
import io.headgate.queues.QueueSettings;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.Test;

/** A queue of eight shards is one queue over HTTP, too. */
class QueueShardsApiIT {

    private static final QueueHttp http = new QueueHttp();

    @AfterAll
    static void stop() {
        http.close();
    }

    private static Queue<String> open(String name) {
        Queue<String> queue = http.queues.queue(QueueSettings.of(name).withShards(8), Codec.text());
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
        assertThat(ids.stream().map(id -> id.substring(0, 2)).distinct()).hasSizeGreaterThan(4);
        return ids;
    }

    @Test
    void its_jobs_are_enqueued_listed_and_purged() {
        Queue<String> queue = open("one");
        List<String> ids = enqueue("one", 15);
        JsonNode counts = http.got("/one");
        assertThat(counts.get("ready").asInt()).isEqualTo(16);
        assertThat(counts.get("shards").asInt()).isEqualTo(8);
        assertThat(http.got("/one/jobs?most=100").get("jobs").findValuesAsText("id"))
                .hasSize(16)
                .containsAll(ids);
        ids.forEach(id ->
                assertThat(http.got("/one/jobs/" + id).get("state").asText()).isEqualTo("ready"));
        assertThat(http.posted("/one/audit", "{}").get("jobs").asInt()).isEqualTo(16);
        assertThat(http.posted("/one/purge", "{\"state\": \"ready\", \"most\": 10}")
                        .get("left")
                        .asInt())
                .isEqualTo(6);
        assertThat(queue.counts().ready()).isEqualTo(6);
    }

    @Test
    void its_dead_letters_are_redriven() {
        Queue<String> queue = open("two");
        enqueue("two", 15);
        queue.claim(100, Duration.ofMinutes(1)).forEach(lease -> lease.deadLetter("no"));
        assertThat(http.posted("/two/redrive", "{\"most\": 6}").get("left").asInt())
                .isEqualTo(10);
        assertThat(http.posted("/two/redrive", "{}").get("redriven").asInt()).isEqualTo(10);
        assertThat(queue.counts().ready()).isEqualTo(16);
    }

    @Test
    void what_only_a_queue_of_shards_refuses_is_said() {
        open("three");
        QueueHttp.assertProblem(
                http.post(
                        "/three/jobs",
                        "{\"jobs\": [{\"payload\": \"a\", \"once\": \"a\"}, {\"payload\": \"b\", \"once\": \"b\"}]}"),
                400,
                "jobs whose keys belong to different shards can't be enqueued all or none");
        QueueHttp.assertProblem(
                http.send(http.operator("/three/jobs?from=01").GET()),
                400,
                "a cursor is one that a page of the same has given");
    }
}
