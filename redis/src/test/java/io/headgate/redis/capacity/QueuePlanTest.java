package io.headgate.redis.capacity;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;

import io.headgate.queues.KeepDone;
import io.headgate.queues.NewJob;
import io.headgate.redis.internal.script.RespSize;
import io.headgate.redis.queues.internal.job.EnqueueCodec;
import io.headgate.redis.queues.internal.job.EnqueueGroup;
import java.time.Duration;
import java.util.Collections;
import java.util.List;
import org.junit.jupiter.api.Test;

/** What a plan of a queue rejects, and how its figures follow from its inputs. */
class QueuePlanTest {

    private static final Duration SECOND = Duration.ofSeconds(1);

    @Test
    void the_number_of_waiting_jobs_is_the_enqueue_rate_times_the_delay() {
        QueuePlan.Builder plan = QueuePlan.builder().enqueuedPerSecond(50).standstill(Duration.ZERO);
        assertThat(entries(plan.delay(Duration.ofMinutes(10)).build(), "waiting"))
                .isCloseTo(30_000, within(0.1));
        assertThat(entries(plan.jobsWaiting(7).build(), "waiting")).isEqualTo(7);
        assertThat(entries(plan.delay(Duration.ZERO).build(), "ready")).isEqualTo(7);
        assertThat(entries(plan.failing(0.5, 2).backoff(Duration.ofSeconds(20)).build(), "waiting"))
                .isCloseTo(500, within(0.1));
    }

    /** A standstill is an outage of all workers. */
    @Test
    void at_the_peak_all_jobs_of_an_outage_wait_and_all_workers_are_busy() {
        QueuePlan plan = QueuePlan.builder()
                .enqueuedPerSecond(50)
                .workers(3, 20)
                .handling(Duration.ofMillis(100))
                .standstill(Duration.ofMinutes(1))
                .build();
        assertThat(plan.peakBytes()).isGreaterThan(plan.averageBytes() + 3000.0 * 500);
        assertThat(content(plan, "ready").peakEntries()).isCloseTo(3000, within(0.1));
        // Each of the three workers claims twenty jobs for its handlers, and twenty more: as many as it handles in a
        // tenth of a second.
        assertThat(content(plan, "claimed").peakEntries()).isCloseTo(120, within(0.1));
        assertThat(entries(plan, "claimed")).isCloseTo(5, within(0.1));
    }

    @Test
    void a_job_whose_attempts_all_fail_becomes_a_dead_letter() {
        QueuePlan plan =
                QueuePlan.builder().enqueuedPerSecond(10).failing(0.5, 3).build();
        assertThat(plan.deadLettersPerSecond()).isCloseTo(1.25, within(0.001));
        assertThat(entries(plan, "dead letters")).isZero();
    }

    @Test
    void each_worker_polls_a_queue_with_low_traffic_once_a_second() {
        QueuePlan plan =
                QueuePlan.builder().enqueuedPerSecond(0.001).workers(4, 10).build();
        assertThat(plan.roundTripsPerSecond()).isCloseTo(4, within(0.05));
    }

    @Test
    void batches_grow_with_the_traffic() {
        QueuePlan.Builder plan = QueuePlan.builder().handling(Duration.ofMillis(1));
        assertThat(plan.enqueuedPerSecond(10).build().jobsOfAClaim()).isCloseTo(1, within(0.02));
        QueuePlan busy = plan.enqueuedPerSecond(10_000).build();
        assertThat(busy.jobsOfAClaim()).isGreaterThan(5);
        assertThat(busy.roundTripsPerSecond()).isLessThan(10_000 + 2 * 5000);
    }

    @Test
    void a_lease_is_extended_whenever_a_third_of_it_has_passed() {
        QueuePlan.Builder plan =
                QueuePlan.builder().enqueuedPerSecond(1).workers(10, 10).handling(Duration.ofSeconds(25));
        assertThat(calls(plan.build(), "extend")).isCloseTo(2, within(0.1));
        assertThat(calls(plan.lease(Duration.ofMinutes(5)).build(), "extend")).isZero();
    }

    @Test
    void done_jobs_are_kept_for_the_configured_time_or_up_to_the_configured_number() {
        QueuePlan.Builder plan = QueuePlan.builder().enqueuedPerSecond(50).failing(0.5, 1);
        assertThat(entries(plan.build(), "done")).isZero();
        assertThat(entries(
                        plan.keepDone(KeepDone.forTime(Duration.ofMinutes(1))).build(), "done"))
                .isCloseTo(1500, within(0.1));
        assertThat(entries(plan.keepDone(KeepDone.newest(70)).build(), "done")).isEqualTo(70);
        assertThat(entries(plan.build(), "locations")).isCloseTo(70, within(0.1));
    }

    @Test
    void shards_add_keys_but_neither_jobs_nor_enqueue_calls() {
        QueuePlan.Builder plan = QueuePlan.builder()
                .enqueuedPerSecond(50)
                .delay(Duration.ofMinutes(10))
                .workers(4, 10);
        QueuePlan one = plan.build();
        QueuePlan eight = plan.shards(8).build();
        assertThat(content(eight, "header").peakKeys()).isEqualTo(8);
        assertThat(content(eight, "queue names").peakKeys()).isEqualTo(1);
        assertThat(entries(eight, "waiting")).isCloseTo(entries(one, "waiting"), within(0.1));
        assertThat(calls(eight, "enqueue")).isCloseTo(calls(one, "enqueue"), within(0.001));
        assertThat(eight.jobsOfAClaim()).isLessThanOrEqualTo(one.jobsOfAClaim());
    }

    /** Plans of larger calls differ by the arguments of the further jobs. */
    @Test
    void a_call_that_enqueues_delayed_or_keyed_jobs_has_the_bytes_of_their_arguments() {
        QueuePlan.Builder delayed =
                QueuePlan.builder().payloadBytes(100).headerBytes(0).delay(SECOND);
        NewJob<byte[]> job = NewJob.of(new byte[100]);
        assertThat(enqueueBytes(delayed.batch(50)) - enqueueBytes(delayed.batch(1)))
                .isCloseTo(
                        argumentBytes(job.after(SECOND), 50, 4) - argumentBytes(job.after(SECOND), 1, 4), within(0.1));
        QueuePlan.Builder keyed =
                QueuePlan.builder().payloadBytes(100).headerBytes(0).keyed(1, 3);
        assertThat(enqueueBytes(keyed.batch(50)) - enqueueBytes(keyed.batch(1)))
                .isCloseTo(argumentBytes(job.once("key"), 50, 12) - argumentBytes(job.once("key"), 1, 12), within(0.1));
    }

    /** The planned bytes of a call that enqueues jobs. */
    private static double enqueueBytes(QueuePlan.Builder plan) {
        return plan.build().calls().stream()
                .filter(some -> some.name().equals("enqueue"))
                .mapToDouble(some -> some.bytesInPerSecond() / some.roundTripsPerSecond())
                .sum();
    }

    /** The bytes of a call that enqueues this job several times, without the bytes of its keys. */
    private static double argumentBytes(NewJob<byte[]> job, int jobs, int keys) {
        EnqueueGroup group = EnqueueGroup.of(Collections.nCopies(jobs, EnqueueGroup.Entry.of(job, job.payload())));
        List<byte[]> arguments = EnqueueCodec.jobs(1000, List.of(group), keys == 4);
        return RespSize.evalsha(keys, arguments.size())
                + arguments.stream().mapToInt(one -> RespSize.bulk(one.length)).sum();
    }

    @Test
    void an_invalid_value_is_rejected_with_the_allowed_range() {
        QueuePlan.Builder plan = QueuePlan.builder();
        assertThatThrownBy(() -> plan.enqueuedPerSecond(0)).hasMessageContaining("more than 0 and at most 1000000000");
        assertThatThrownBy(() -> plan.batch(501)).hasMessage("jobs of a call must be from 1 to 500, was 501");
        assertThatThrownBy(() -> plan.failing(1.1, 1)).hasMessageContaining("must be from 0 to 1, was 1.1");
        assertThatThrownBy(() -> plan.keyed(Double.NaN, 1)).hasMessageContaining("must be from 0 to 1, was NaN");
        assertThatThrownBy(() -> plan.delay(Duration.ofSeconds(-1)))
                .hasMessageContaining("delay must be from 0 to 3660 days");
        assertThatThrownBy(() -> plan.shards(65)).hasMessage("shards must be from 1 to 64, was 65");
        assertThatThrownBy(() -> plan.keyPrefix("a b")).hasMessageContaining("key prefix must be");
        assertThatThrownBy(() -> plan.handling(SECOND).build())
                .hasMessage(
                        "jobs arrive faster than the workers handle them: 100 attempts a second, but 2 workers with 10"
                                + " handlers each handle 20; add workers or handlers");
    }

    @Test
    void by_default_memory_is_planned_for_the_larger_allocation_quantum() {
        QueuePlan.Builder plan = QueuePlan.builder().delay(SECOND);
        QueuePlan larger = plan.build();
        QueuePlan smaller = plan.mallocStats("Quantum size: 8\n").build();
        assertThat(larger.quantumBytes()).isEqualTo(16);
        assertThat(smaller.quantumBytes()).isEqualTo(8);
        assertThat(smaller.averageBytes()).isLessThan(larger.averageBytes());
    }

    private static QueueContent content(QueuePlan plan, String name) {
        return plan.contents().stream()
                .filter(part -> part.name().equals(name))
                .findFirst()
                .orElseThrow();
    }

    private static double entries(QueuePlan plan, String name) {
        return content(plan, name).averageEntries();
    }

    private static double calls(QueuePlan plan, String name) {
        return plan.calls().stream()
                .filter(some -> some.name().equals(name))
                .findFirst()
                .orElseThrow()
                .roundTripsPerSecond();
    }
}
