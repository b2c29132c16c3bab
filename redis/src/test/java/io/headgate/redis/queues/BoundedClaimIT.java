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

/** A claim does a bounded part of the work, in the order of the whole, and reports when there is more. */
class BoundedClaimIT {

    private static final Duration LEASE = Duration.ofSeconds(30);

    @RegisterExtension
    final OwnQueues redis = new OwnQueues();

    private final JobQueue<String> queue =
            redis.queue(QueueSettings.of("orders").withMaxPayloadBytes(100_000));

    private List<String> claimed(int most) {
        return queue.claim(most, LEASE).stream()
                .map(lease -> lease.job().payload())
                .toList();
    }

    private long signals() {
        return redis.probe.commandCalls().getOrDefault("PUBLISH", 0L);
    }

    @Test
    void who_waits_is_signalled_once_and_only_for_what_is_due_before_he_comes_back() {
        queue.enqueue(NewJob.of("a").priority(Priority.HIGH).after(Duration.ofSeconds(10)));
        queue.enqueue(NewJob.of("b").priority(Priority.LOW).after(Duration.ofSeconds(20)));
        assertThat(claimed(9)).isEmpty();
        redis.probe.command("CONFIG", "RESETSTAT");
        queue.enqueue("c", Duration.ofSeconds(15));
        assertThat(signals()).isZero();
        queue.enqueueAll(List.of(
                NewJob.of("d").after(Duration.ofSeconds(5)), NewJob.of("e").after(Duration.ofSeconds(15))));
        assertThat(signals()).isEqualTo(1);
        queue.enqueue("f");
        assertThat(signals()).isEqualTo(1);
        assertThat(claimed(9)).containsExactly("f");
        queue.enqueue("g");
        assertThat(signals()).isEqualTo(2);
    }

    @Test
    void a_claim_passes_over_a_bounded_number_of_cancelled_jobs() {
        List<JobId> ids = IntStream.range(0, 1101)
                .mapToObj(i -> queue.enqueue("job" + i).id())
                .toList();
        ids.subList(0, 1100).forEach(queue::cancel);
        assertThat(claimed(1)).isEmpty();
        assertThat(claimed(1)).containsExactly("job1100");
    }

    @Test
    void a_large_claim_that_expired_is_taken_back_in_steps() {
        OwnQueues.enqueue(queue, 250);
        List<Lease<String>> leases = queue.claim(250, LEASE);
        redis.clock.advance(LEASE);
        assertThat(claimed(1)).containsExactly("job0");
        assertThat(queue.counts().leased()).isEqualTo(leases.size() - 100 + 1);
        assertThat(claimed(1)).containsExactly("job1");
        assertThat(claimed(500)).hasSize(248);
    }

    @Test
    void what_is_due_comes_in_order_although_few_of_it_are_read_at_once() {
        // As long as jobs may be that long, only one that was delayed is read at a time.
        queue.cancel(queue.enqueue("x".repeat(100_000), LEASE).id());
        for (int i = 1; i <= 3; i++) {
            queue.enqueue("delayed" + i, Duration.ofSeconds(i));
        }
        redis.clock.advance(Duration.ofSeconds(5));
        queue.enqueue("last");
        assertThat(claimed(9)).containsExactly("delayed1", "delayed2", "delayed3", "last");
    }
}
