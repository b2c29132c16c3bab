package io.headgate.redis.queues;

import static org.assertj.core.api.Assertions.assertThat;

import io.headgate.queues.JobId;
import io.headgate.queues.JobQueue;
import io.headgate.queues.KeepDone;
import io.headgate.queues.Lease;
import io.headgate.queues.NewJob;
import io.headgate.queues.Priority;
import io.headgate.queues.QueueSettings;
import io.headgate.redis.Golden;
import io.headgate.testkit.Await;
import io.headgate.testkit.conditions.ServerVersionSensitive;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** All keys and bytes that queues store after a sequence of calls, compared with committed files: a change of the format changes a file. */
@ServerVersionSensitive
class StoredQueuesIT {

    @RegisterExtension
    final OwnQueues redis = new OwnQueues();

    @Test
    void keys_and_bytes_of_a_queue_equal_the_committed_file() {
        enqueueAndSettle(redis.queue(QueueSettings.of("orders")));
        assertStored("queue.txt");
    }

    @Test
    void keys_and_bytes_of_a_queue_that_keeps_done_jobs_equal_the_committed_file() {
        enqueueAndSettle(redis.queue(QueueSettings.of("orders").withKeepDone(new KeepDone(100, Duration.ofHours(1)))));
        assertStored("queue-keeps-done.txt");
    }

    @Test
    void keys_and_bytes_of_a_queue_in_shards_equal_the_committed_file() {
        JobQueue<String> queue = redis.queue(QueueSettings.of("orders").withShards(3));
        for (int i = 0; i < 6; i++) {
            queue.enqueue(NewJob.of("job " + i).group("customer " + i));
        }
        assertStored("queue-in-shards.txt");
    }

    @Test
    void keys_and_bytes_of_a_queue_with_tenants_equal_the_committed_file() {
        JobQueue<String> queue = redis.queue(QueueSettings.of("orders"));
        queue.enqueueAll(List.of(
                NewJob.of("first").tenant("acme"),
                NewJob.of("second").tenant("b").header("trace", "00-17").once("invoice 2"),
                NewJob.of("third"),
                NewJob.of("fourth").tenant("b").group("alice").once("invoice 2"),
                NewJob.of("fifth").tenant("c").after(Duration.ofMinutes(1))));
        queue.enqueueAll(List.of(
                NewJob.of("sixth").tenant("acme").priority(Priority.HIGH),
                NewJob.of("seventh").tenant("acme").priority(Priority.HIGH)));
        redis.clock.advance(Duration.ofMillis(1_234));
        List<Lease<String>> leases = queue.claim(4, Duration.ofSeconds(30));
        assertThat(leases)
                .extracting(lease -> lease.job().payload())
                .containsExactly("sixth", "seventh", "first", "second");
        leases.get(0).retry(Duration.ofSeconds(10), "connection refused");
        leases.get(3).deadLetter("no such customer");
        assertStored("queue-with-tenants.txt");
    }

    /** Waits for the name of the queue, which is registered after the first enqueue. */
    private void assertStored(String file) {
        Await.until("the name of the queue", Duration.ofSeconds(20), () -> Long.valueOf(1)
                .equals(redis.probe.command("HEXISTS", "hg:queues", "orders")));
        Golden.assertStored(file, redis.probe);
    }

    private void enqueueAndSettle(JobQueue<String> queue) {
        queue.enqueueAll(List.of(
                NewJob.of("first"),
                NewJob.of("second").priority(Priority.HIGH).header("trace", "00-17"),
                NewJob.of("third").once("invoice 3"),
                NewJob.of("fourth").replacing("invoice 4").after(Duration.ofMinutes(1)),
                NewJob.of("fifth").group("alice"),
                NewJob.of("später \u0007").priority(Priority.LOW)));
        redis.clock.advance(Duration.ofMillis(1_234));
        List<Lease<String>> leases = queue.claim(5, Duration.ofSeconds(30));
        assertThat(leases).hasSize(5);
        leases.get(0).ack();
        leases.get(1).retry(Duration.ofSeconds(10), "connection refused");
        leases.get(2).deadLetter("no such customer");
        leases.get(3).handBack();
        JobId cancelled = queue.enqueue("cancelled").id();
        queue.cancel(cancelled);
        redis.clock.advance(Duration.ofSeconds(1));
        queue.pause();
    }
}
