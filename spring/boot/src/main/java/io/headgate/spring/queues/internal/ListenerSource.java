package io.headgate.spring.queues.internal;

import io.headgate.queues.Job;
import io.headgate.queues.JobId;
import io.headgate.queues.worker.ClaimedJob;
import io.headgate.queues.worker.JobSource;
import io.headgate.queues.worker.PollRequest;
import io.headgate.queues.worker.PollResult;
import io.headgate.queues.worker.Settlement;
import io.headgate.spring.queues.internal.deadletters.ClaimedDeadLetter;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.IntSupplier;
import org.jspecify.annotations.Nullable;

/**
 * The source of a listener: it claims nothing while the listener is paused or cannot start a job, and settles jobs as their listeners
 * decide.
 */
final class ListenerSource implements JobSource<Delivery> {

    /** When to poll again if nothing may be claimed now; a signal is usually earlier. */
    private static final long NEXT_POLL_MICROS = 1_000_000;

    private final JobSource<byte[]> source;
    private volatile boolean paused;
    private volatile IntSupplier room = () -> Integer.MAX_VALUE;
    private volatile Runnable signal = () -> {};

    ListenerSource(JobSource<byte[]> source) {
        this.source = source;
    }

    void pause() {
        paused = true;
    }

    void resume() {
        paused = false;
        signal.run();
    }

    /** Sets how many jobs the listener can start now; the source claims no more. */
    void claimAtMost(IntSupplier jobs) {
        room = jobs;
    }

    /** The listener may be able to start more jobs. */
    void signal() {
        signal.run();
    }

    boolean isPaused() {
        return paused;
    }

    @Override
    public String name() {
        return source.name();
    }

    @Override
    public Duration defaultLease() {
        return source.defaultLease();
    }

    @Override
    public Duration maxLease() {
        return source.maxLease();
    }

    @Override
    public Subscription subscribe(Runnable onSignal) {
        signal = onSignal;
        return source.subscribe(onSignal);
    }

    @Override
    public CompletionStage<PollResult<Delivery>> poll(PollRequest request) {
        int max = paused ? 0 : Math.min(request.max(), room.getAsInt());
        if (max > 0 || (request.max() == 0 && !paused)) {
            return send(request.withMax(max));
        }
        if (request.settlements().isEmpty()) {
            return CompletableFuture.completedFuture(
                    PollResult.<Delivery>empty().withMoreInMicros(NEXT_POLL_MICROS));
        }
        return send(request.withMax(0)).thenApply(result -> result.withMoreInMicros(NEXT_POLL_MICROS));
    }

    private CompletionStage<PollResult<Delivery>> send(PollRequest request) {
        long sentNanos = System.nanoTime();
        return source.poll(JobLease.ofSource(request)).thenApply(result -> {
            JobLease.renewed(request, result, sentNanos);
            List<ClaimedJob<Delivery>> claimed = result.claimed().stream()
                    .<ClaimedJob<Delivery>>map(job -> new DeliveredJob(job, new JobLease(sentNanos, request.lease())))
                    .toList();
            return result.withClaim(claimed, result.moreInMicros(), Optional.empty());
        });
    }

    /** A claimed job whose acknowledgement is what its listener decided. */
    private static final class DeliveredJob implements ClaimedJob<Delivery> {

        private final ClaimedJob<byte[]> claimed;
        private final JobLease lease;
        private volatile @Nullable Delivery delivery;

        DeliveredJob(ClaimedJob<byte[]> claimed, JobLease lease) {
            this.claimed = claimed;
            this.lease = lease;
        }

        @Override
        public JobId id() {
            return claimed.id();
        }

        @Override
        public int shard() {
            return claimed.shard();
        }

        @Override
        public Job<Delivery> job() {
            Job<byte[]> job = claimed.job();
            Delivery started = claimed instanceof ClaimedDeadLetter dead
                    ? new Delivery(dead, lease)
                    : new Delivery(job.payload(), lease);
            delivery = started;
            return Delivery.withPayload(job, started);
        }

        @Override
        public int crashes() {
            return claimed.crashes();
        }

        @Override
        public Settlement ackSettlement() {
            Delivery.Decision decision = decision();
            if (decision instanceof Delivery.Retry retry) {
                return claimed.retrySettlement(retry.delay(), retry.cause());
            }
            if (decision instanceof Delivery.HandBack handBack) {
                return claimed.handBackSettlement(handBack.delay());
            }
            return decision instanceof Delivery.Keep && claimed instanceof ClaimedDeadLetter dead
                    ? dead.keepSettlement()
                    : claimed.ackSettlement();
        }

        private Delivery.@Nullable Decision decision() {
            Delivery ended = delivery;
            return ended == null ? null : ended.decision().orElse(null);
        }

        @Override
        public Settlement handBackSettlement(Duration delay) {
            return claimed.handBackSettlement(delay);
        }

        @Override
        public Settlement retrySettlement(Duration delay, String cause) {
            return claimed.retrySettlement(delay, cause);
        }

        @Override
        public Settlement deadLetterSettlement(String cause) {
            Delivery.Decision decision = decision();
            if (decision instanceof Delivery.MoveToDeadLetters dead) {
                return claimed.deadLetterSettlement(dead.cause());
            }
            return claimed.deadLetterSettlement(decision instanceof Delivery.Retry retry ? retry.cause() : cause);
        }

        @Override
        public Settlement extendSettlement(Duration length) {
            return lease.renewal(claimed.extendSettlement(length), length);
        }
    }
}
