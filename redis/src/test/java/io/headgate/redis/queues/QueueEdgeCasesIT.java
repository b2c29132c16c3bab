package io.headgate.redis.queues;

import static org.assertj.core.api.Assertions.assertThat;

import io.headgate.queues.Enqueued;
import io.headgate.queues.JobId;
import io.headgate.queues.JobQueue;
import io.headgate.queues.Lease;
import io.headgate.queues.NewJob;
import io.headgate.queues.Settled;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** Rare but allowed calls, and a Redis that is out of memory. */
class QueueEdgeCasesIT {

    private static final Duration LEASE = Duration.ofSeconds(30);

    @RegisterExtension
    final OwnQueues redis = new OwnQueues();

    private JobQueue<String> queue() {
        return redis.queue();
    }

    private List<String> claimPayloads(int max) {
        return queue().claim(max, LEASE).stream()
                .map(lease -> lease.job().payload())
                .toList();
    }

    @Test
    void of_jobs_that_replace_each_other_in_one_call_the_last_is_kept() {
        List<Enqueued> enqueued = queue().enqueueAll(List.of(
                NewJob.of("first").replacing("k"),
                NewJob.of("second").after(Duration.ofSeconds(1)).replacing("k"),
                NewJob.of("beside"),
                NewJob.of("third").replacing("k")));
        assertThat(enqueued)
                .extracting(Enqueued::outcome)
                .containsExactly(
                        Enqueued.Outcome.ADDED,
                        Enqueued.Outcome.REPLACED,
                        Enqueued.Outcome.ADDED,
                        Enqueued.Outcome.REPLACED);
        assertThat(queue().counts().ready()).isEqualTo(2);
        redis.clock.advance(Duration.ofSeconds(2));
        assertThat(claimPayloads(10)).containsExactly("beside", "third");
    }

    @Test
    void only_the_newest_of_many_failure_causes_are_kept() {
        queue().enqueue("a");
        for (int i = 0; i < 20; i++) {
            queue().claim(1, LEASE).get(0).retry(Duration.ZERO, "x".repeat(490) + i);
        }
        List<String> causes = queue().claim(1, LEASE).get(0).job().causes();
        assertThat(causes).hasSizeBetween(5, 10);
        assertThat(causes)
                .isEqualTo(IntStream.range(20 - causes.size(), 20)
                        .mapToObj(i -> "x".repeat(490) + i)
                        .toList());
    }

    @Test
    void the_age_of_the_oldest_due_job_ignores_cancelled_jobs() {
        List<JobId> first =
                List.of(queue().enqueue("a").id(), queue().enqueue("b").id());
        redis.clock.advance(Duration.ofSeconds(5));
        queue().enqueue("c");
        redis.clock.advance(Duration.ofSeconds(7));
        first.forEach(queue()::cancel);
        assertThat(queue().counts().oldestDue()).contains(Duration.ofSeconds(7));
        redis.clock.advance(Duration.ofSeconds(1));
        assertThat(claimPayloads(1)).containsExactly("c");
        assertThat(queue().counts().oldestDue()).isEmpty();
    }

    @Test
    void jobs_are_claimed_and_settled_while_redis_is_out_of_memory() {
        IntStream.range(0, 4).forEach(i -> queue().enqueue("job" + i));
        List<Lease<String>> leases = queue().claim(3, LEASE);
        redis.probe.command("CONFIG", "SET", "maxmemory", "1");
        try {
            assertThat(leases.get(0).ack()).isEqualTo(Settled.DONE);
            assertThat(leases.get(1).handBack()).isEqualTo(Settled.DONE);
            redis.clock.advance(LEASE);
            assertThat(claimPayloads(10)).containsExactly("job1", "job2", "job3");
        } finally {
            redis.probe.command("CONFIG", "SET", "maxmemory", "0");
        }
    }

    @Test
    void acks_that_alternate_between_two_claims_read_each_claim_once() {
        IntStream.range(0, 20).forEach(i -> queue().enqueue("job" + i));
        List<Lease<String>> first = queue().claim(10, LEASE);
        List<Lease<String>> second = queue().claim(10, LEASE);
        List<Lease<String>> alternating = new ArrayList<>();
        for (int i = 0; i < 10; i++) {
            alternating.add(first.get(i));
            alternating.add(second.get(i));
        }
        first.get(3).ack();
        List<Settled> expected = new ArrayList<>(Collections.nCopies(20, Settled.DONE));
        expected.set(6, Settled.LEASE_LOST);
        JobQueue<String> queue = queue();
        // The first call of a queue object reads the number of shards, also with HGET.
        queue.counts();
        long before = redis.probe.commandCalls().getOrDefault("HGET", 0L);
        assertThat(queue.ackAll(alternating)).isEqualTo(expected);
        assertThat(redis.probe.commandCalls().getOrDefault("HGET", 0L) - before).isEqualTo(2);
    }

    @Test
    void a_lease_that_is_passed_twice_is_settled_once_and_affects_no_other_lease() {
        IntStream.range(0, 4).forEach(i -> queue().enqueue("job" + i));
        Lease<String> alone = queue().claim(1, LEASE).get(0);
        List<Lease<String>> two = queue().claim(2, LEASE);
        assertThat(queue().ackAll(List.of(alone, two.get(0), two.get(0), two.get(1))))
                .containsExactly(Settled.DONE, Settled.DONE, Settled.LEASE_LOST, Settled.DONE);
        assertThat(queue().counts().leased()).isZero();
        assertThat(queue().counts().ready()).isEqualTo(1);
        Lease<String> last = queue().claim(1, LEASE).get(0);
        assertThat(queue().ackAll(List.of(last, last))).containsExactly(Settled.DONE, Settled.LEASE_LOST);
    }
}
