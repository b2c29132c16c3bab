package io.headgate.redis.queues;

import static org.assertj.core.api.Assertions.assertThat;

import io.headgate.queues.Job;
import io.headgate.queues.JobQueue;
import io.headgate.queues.Lease;
import io.headgate.queues.QueueFullException;
import io.headgate.queues.Settled;
import io.headgate.queues.inspect.AuditReport;
import io.headgate.queues.inspect.JobState;
import io.headgate.queues.inspect.QueueCounts;
import io.headgate.redis.queues.ModelJob.State;
import io.headgate.redis.queues.internal.job.Times;
import io.headgate.testkit.ManualClock;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.Supplier;

/** Applies the same steps to a queue and to its model, and compares the results. */
final class ModelComparison {

    /** A lower bound of the number of expired leases that one claim reclaims, if there are so many. */
    private static final int RECLAIMED_PER_CLAIM = 7;

    private final JobQueue<String> queue;
    private final QueueModel model;
    private final ManualClock clock;
    private final EnqueueComparison jobs;
    private final List<Held> held = new ArrayList<>();
    private final LookupComparison lookups;
    private final List<String> tenants;

    /** A lease of the queue, and the job and number of that lease in the model. */
    private record Held(Lease<String> lease, ModelJob job, int number) {}

    ModelComparison(JobQueue<String> queue, QueueModel model, ManualClock clock) {
        this(queue, model, clock, List.of(""));
    }

    ModelComparison(JobQueue<String> queue, QueueModel model, ManualClock clock, List<String> tenants) {
        this.tenants = tenants;
        this.queue = queue;
        this.model = model;
        this.clock = clock;
        this.jobs = new EnqueueComparison(queue, model, clock, tenants);
        this.lookups = new LookupComparison(queue, model, jobs::id);
    }

    void step(QueueStep step) {
        switch (step.kind()) {
            case ENQUEUE, ENQUEUE_AGAIN -> jobs.enqueue(step);
            case ENQUEUE_BATCH -> jobs.enqueueBatch(step);
            case CLAIM, CLAIM_AGAIN -> claim(1 + step.amount(), micros(10_000 + 1000L * step.variant()));
            case ACK -> settle(step, (lease, job) -> lease.ack(), (job, n) -> model.ack(job, n, now()));
            case ACK_ALL -> ackAll(step);
            case HAND_BACK -> {
                long delay = step.variant() < 6 ? 0 : 500L * step.amount();
                settle(
                        step,
                        (lease, job) -> lease.handBack(micros(delay)),
                        (job, n) -> model.requeue(job, n, delay, null, now()));
            }
            case RETRY -> {
                String cause = "cause " + step.variant();
                long delay = 700L * step.amount();
                settle(
                        step,
                        (lease, job) -> lease.retry(micros(delay), cause),
                        (job, n) -> model.requeue(job, n, delay, cause, now()));
            }
            case DEAD_LETTER ->
                settle(
                        step,
                        (lease, job) -> lease.deadLetter("dead"),
                        (job, n) -> model.deadLetter(job, n, "dead", now()));
            case EXTEND -> {
                long by = 10_000 + 5000L * step.amount();
                settle(step, (lease, job) -> lease.extend(micros(by)), (job, n) -> model.extend(job, n, by, now()));
            }
            case CANCEL ->
                jobs.selected(step)
                        .ifPresent(job -> assertThat(queue.cancel(jobs.id(job))).isEqualTo(model.cancel(job)));
            case RESCHEDULE ->
                jobs.selected(step).ifPresent(job -> {
                    long due = now() + 1000L * step.amount();
                    assertThat(queue.reschedule(jobs.id(job), Times.instant(due)))
                            .isEqualTo(model.reschedule(job, due, now()));
                });
            case FIND -> jobs.selected(step).ifPresent(job -> lookups.find(jobs.id(job), job, now()));
            case PAGES -> lookups.pages(kind(step), 1 + step.amount(), now());
            case PURGE -> {
                JobState.Kind kind = kind(step);
                if (kind != JobState.Kind.LEASED) {
                    assertThat(queue.purge(kind, 1 + step.amount()))
                            .isEqualTo(model.purge(kind, 1 + step.amount(), now()));
                }
            }
            case REDRIVE ->
                jobs.selected(step).ifPresent(job -> assertThat(
                                unlessFull(() -> queue.deadLetters().redrive(jobs.id(job))))
                        .isEqualTo(model.redrive(job, now())));
            case REDRIVE_OLDEST -> {
                long spacing = 1000L * step.variant();
                assertThat(unlessFull(() -> queue.deadLetters().redriveOldest(1 + step.amount(), micros(spacing))))
                        .isEqualTo(model.redriveOldest(1 + step.amount(), spacing, now()));
            }
            case DISCARD ->
                jobs.selected(step)
                        .ifPresent(job -> assertThat(queue.deadLetters().discard(jobs.id(job)))
                                .isEqualTo(model.discard(job)));
            case AUDIT -> {
                AuditReport report = step.variant() < 6 ? queue.audit() : queue.repair();
                assertThat(report.findings()).isEmpty();
                assertThat(report.unchecked()).isZero();
            }
            case PAUSE -> {
                model.paused = step.variant() == 0;
                if (model.paused) {
                    queue.pause();
                } else {
                    queue.resume();
                }
            }
            case ADVANCE -> clock.advance(micros(3000L * step.amount()));
            case ADVANCE_LITTLE -> clock.advance(micros(step.amount()));
        }
        compareCounts();
    }

    /** Claims and acks all remaining jobs. */
    void finish() {
        queue.resume();
        model.paused = false;
        clock.advance(Duration.ofHours(1));
        for (int i = 0; i < 1000 && model.count(State.WAITING) + model.count(State.LEASED) > 0; i++) {
            int from = held.size();
            claim(12, Duration.ofMinutes(1));
            held.subList(from, held.size()).forEach(last -> {
                assertThat(last.lease.ack()).isEqualTo(Settled.DONE);
                model.ack(last.job, last.number, now());
            });
        }
        // Further claims remove what cancelled ready jobs and expired done jobs have left.
        for (int i = 0; i < 10; i++) {
            claim(12, Duration.ofMinutes(1));
        }
        compareCounts();
    }

    /** Returns the number of kept done jobs. */
    long done() {
        return model.keptDone(now()).size();
    }

    /** Returns the number of keys that kept done jobs own. */
    long keysOfDone() {
        return model.keysOfDone(now());
    }

    long deadLetters() {
        return model.count(State.DEAD);
    }

    /** Returns the result of a call; nothing when the queue is full. */
    static <R> Optional<R> unlessFull(Supplier<R> call) {
        try {
            return Optional.of(call.get());
        } catch (QueueFullException full) {
            return Optional.empty();
        }
    }

    private void claim(int max, Duration lease) {
        reclaimSurplus(model.expiredLeases(now()));
        List<Lease<String>> got = queue.claim(max, lease);
        List<ModelJob> expected = tenants.size() == 1
                ? model.claim(max, lease.toNanos() / 1000, now())
                : claimFairly(got, max, lease.toNanos() / 1000);
        model.trimDone(now());
        assertThat(got.stream().map(ModelComparison::description).toList())
                .isEqualTo(expected.stream().map(ModelJob::description).toList());
        for (int i = 0; i < got.size(); i++) {
            assertThat(got.get(i).id()).isEqualTo(jobs.id(expected.get(i)));
            held.add(new Held(got.get(i), expected.get(i), expected.get(i).lease));
        }
    }

    /**
     * Which tenant comes first depends on earlier claims, so this only checks that the claim was fair, and claims the same jobs in the
     * model.
     */
    private List<ModelJob> claimFairly(List<Lease<String>> got, int max, long lease) {
        model.reclaim(now());
        List<ModelJob> claimed = got.stream().map(one -> jobs.byId(one.id())).toList();
        FairClaim.check(model.due(now()), claimed, max);
        claimed.forEach(job -> model.lease(job, lease, now()));
        return claimed;
    }

    /**
     * A claim of the queue reclaims a bounded number of jobs whose leases have expired, and a claim of the model all of them, so this
     * reclaims the surplus in the queue first.
     */
    private void reclaimSurplus(long expiredLeases) {
        if (expiredLeases > RECLAIMED_PER_CLAIM) {
            queue.pause();
            for (long i = 0; i < expiredLeases; i += RECLAIMED_PER_CLAIM) {
                assertThat(queue.claim(1, Duration.ofSeconds(1))).isEmpty();
            }
            if (!model.paused) {
                queue.resume();
            }
        }
    }

    private static String description(Lease<String> lease) {
        Job<String> job = lease.job();
        return job.tenant().orElse("") + " " + job.payload() + " attempt " + job.attempt() + " delivery "
                + job.delivery() + " crashes " + job.crashes() + " due "
                + ChronoUnit.MICROS.between(Instant.EPOCH, job.dueAt()) + " causes " + job.causes();
    }

    private interface SettleInQueue {
        Settled settle(Lease<String> lease, ModelJob job);
    }

    private interface SettleInModel {
        Settled settle(ModelJob job, int lease);
    }

    private void settle(QueueStep step, SettleInQueue inQueue, SettleInModel inModel) {
        if (!held.isEmpty()) {
            Held chosen = held.get(Math.max(0, held.size() - 1 - step.fromLast()));
            assertThat(inQueue.settle(chosen.lease, chosen.job)).isEqualTo(inModel.settle(chosen.job, chosen.number));
            model.trimDone(now());
        }
    }

    private void ackAll(QueueStep step) {
        List<Held> last = held.subList(Math.max(0, held.size() - 1 - step.fromLast()), held.size());
        if (!last.isEmpty()) {
            List<Settled> got = queue.ackAll(last.stream().map(Held::lease).toList());
            List<Settled> expected = last.stream()
                    .map(one -> model.ack(one.job, one.number, now()))
                    .toList();
            assertThat(got).isEqualTo(expected);
            model.trimDone(now());
        }
    }

    private static JobState.Kind kind(QueueStep step) {
        return List.of(JobState.Kind.values()).get(step.variant() % 5);
    }

    private void compareCounts() {
        QueueCounts counts = queue.counts();
        long ready = model.ready(now());
        assertThat(List.of(counts.ready(), counts.delayed(), counts.leased(), counts.dead(), counts.done()))
                .containsExactly(
                        ready,
                        model.count(State.WAITING) - ready,
                        model.count(State.LEASED),
                        model.count(State.DEAD),
                        done());
        assertThat(counts.paused()).isEqualTo(model.paused);
    }

    private long now() {
        return clock.nowMicros();
    }

    private static Duration micros(long micros) {
        return Duration.of(micros, ChronoUnit.MICROS);
    }
}
