package io.headgate.server.queues.cli;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import io.headgate.queues.Codec;
import io.headgate.queues.JobId;
import io.headgate.queues.JobQueue;
import io.headgate.queues.KeepDone;
import io.headgate.queues.Lease;
import io.headgate.queues.NewJob;
import io.headgate.queues.QueueSettings;
import io.headgate.redis.RedisSettings;
import io.headgate.redis.queues.RedisQueueEngine;
import io.headgate.server.CliRun;
import io.headgate.server.text.Json;
import io.headgate.testkit.RedisProbe;
import io.headgate.testkit.RedisServer;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

/** A Redis of its own, a queue in it, and {@code headgate queue} to run. */
final class QueueCli implements AutoCloseable {

    static final String NAME = "mails";

    final RedisServer redis = RedisServer.startOwn("--save", "");
    final RedisQueueEngine queues =
            RedisQueueEngine.connect(RedisSettings.of(redis.url()).withTimeout(Duration.ofSeconds(4)));
    final JobQueue<String> queue = queues.queue(NAME, Codec.text());

    /** Runs {@code headgate queue} with these words. */
    CliRun run(String... words) {
        List<String> all = new ArrayList<>(List.of("queue"));
        all.addAll(List.of(words));
        // After the name of the command, if there is one.
        all.addAll(1 + Math.min(1, words.length), List.of("--redis", redis.url(), "--redis-timeout", "4s"));
        return CliRun.of(all.toArray(String[]::new));
    }

    /** Runs a command that must succeed; returns its output. */
    String out(String... words) {
        CliRun run = run(words);
        assertThat(run.exitCode()).as(run.err()).isZero();
        return run.out();
    }

    JsonNode json(String... words) {
        List<String> all = new ArrayList<>(List.of(words));
        all.add("--json");
        try {
            return Json.MAPPER.readTree(out(all.toArray(String[]::new)));
        } catch (IOException e) {
            throw new AssertionError("no JSON", e);
        }
    }

    /** Deletes all data of this Redis. */
    void empty() {
        try (RedisProbe probe = RedisProbe.of(redis.url())) {
            probe.command("FLUSHALL");
        }
    }

    /** Claims and acknowledges up to 500 ready jobs; returns their payloads. */
    List<String> drain() {
        List<Lease<String>> leases = queue.claim(500, Duration.ofMinutes(1));
        leases.forEach(Lease::ack);
        return leases.stream().map(lease -> lease.job().payload()).toList();
    }

    /** Creates dead letters with these payloads. */
    void createDead(String... payloads) {
        for (String payload : payloads) {
            queue.enqueue(payload);
            queue.claim(1, Duration.ofMinutes(1)).get(0).deadLetter("no such address");
        }
    }

    /** Creates done jobs with these payloads, which the queue keeps; returns their ids. */
    List<JobId> createDone(String... payloads) {
        JobQueue<String> keeping =
                queues.queue(QueueSettings.of(NAME).withKeepDone(KeepDone.newest(100)), Codec.text());
        List<JobId> ids = new ArrayList<>();
        for (String payload : payloads) {
            ids.add(keeping.enqueue(NewJob.of(payload).once("key of " + payload))
                    .id());
            keeping.claim(1, Duration.ofMinutes(1)).get(0).ack();
        }
        return ids;
    }

    @Override
    public void close() {
        queues.close();
        redis.close();
    }
}
