package io.headgate.redis.queues;

import static org.assertj.core.api.Assertions.assertThat;

import io.headgate.queues.JobId;
import io.headgate.queues.JobQueue;
import io.headgate.queues.Lease;
import io.headgate.queues.NewJob;
import io.headgate.queues.Priority;
import io.headgate.queues.QueueSettings;
import java.time.Duration;
import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/**
 * A claim does a bounded amount of work, several claims return jobs in the same order as one unbounded claim would, and a consumer that
 * received nothing is signalled once.
 */
class BoundedClaimIT {

    private static final Duration LEASE = Duration.ofSeconds(30);

    @RegisterExtension
    final OwnQueues redis = new OwnQueues();

    private final JobQueue<String> queue =
            redis.queue(QueueSettings.of("orders").withMaxPayloadBytes(100_000));

    private List<String> claimPayloads(int max) {
        return queue.claim(max, LEASE).stream()
                .map(lease -> lease.job().payload())
                .toList();
    }

    /** Returns the number of signals so far: the Pub/Sub messages that wake waiting consumers. */
    private long signals() {
        return redis.probe.commandCalls().getOrDefault("PUBLISH", 0L);
    }

    @Test
    void a_waiting_consumer_is_signalled_once_and_only_for_jobs_due_before_its_next_claim() {
        queue.enqueue(NewJob.of("a").priority(Priority.HIGH).after(Duration.ofSeconds(10)));
        queue.enqueue(NewJob.of("b").priority(Priority.LOW).after(Duration.ofSeconds(20)));
        assertThat(claimPayloads(9)).isEmpty();
        redis.probe.command("CONFIG", "RESETSTAT");
        queue.enqueue("c", Duration.ofSeconds(15));
        assertThat(signals()).isZero();
        queue.enqueueAll(List.of(
                NewJob.of("d").after(Duration.ofSeconds(5)), NewJob.of("e").after(Duration.ofSeconds(15))));
        assertThat(signals()).isEqualTo(1);
        queue.enqueue("f");
        assertThat(signals()).isEqualTo(1);
        assertThat(claimPayloads(9)).containsExactly("f");
        queue.enqueue("g");
        assertThat(signals()).isEqualTo(2);
    }

    @Test
    void a_claim_skips_a_bounded_number_of_cancelled_jobs() {
        List<JobId> ids = IntStream.range(0, 1101)
                .mapToObj(i -> queue.enqueue("job" + i).id())
                .toList();
        ids.subList(0, 1100).forEach(queue::cancel);
        assertThat(claimPayloads(1)).isEmpty();
        assertThat(claimPayloads(1)).containsExactly("job1100");
    }

    @Test
    void the_jobs_of_a_large_expired_claim_become_ready_in_steps_of_100() {
        OwnQueues.enqueue(queue, 250);
        List<Lease<String>> leases = queue.claim(250, LEASE);
        redis.clock.advance(LEASE);
        assertThat(claimPayloads(1)).containsExactly("job0");
        assertThat(queue.counts().leased()).isEqualTo(leases.size() - 100 + 1);
        assertThat(claimPayloads(1)).containsExactly("job1");
        assertThat(claimPayloads(500)).hasSize(248);
    }

    @Test
    void delayed_jobs_are_claimed_in_order_when_a_claim_reads_only_one_of_them() {
        // After a job of this length, a claim reads one delayed job at a time, as each may be as long.
        queue.cancel(queue.enqueue("x".repeat(100_000), LEASE).id());
        for (int i = 1; i <= 3; i++) {
            queue.enqueue("delayed" + i, Duration.ofSeconds(i));
        }
        redis.clock.advance(Duration.ofSeconds(5));
        queue.enqueue("last");
        assertThat(claimPayloads(9)).containsExactly("delayed1", "delayed2", "delayed3", "last");
    }
}
