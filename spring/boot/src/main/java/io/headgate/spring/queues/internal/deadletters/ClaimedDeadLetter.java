package io.headgate.spring.queues.internal.deadletters;

import io.headgate.queues.AsyncDeadLetters;
import io.headgate.queues.DeadLetter;
import io.headgate.queues.Job;
import io.headgate.queues.JobId;
import io.headgate.queues.QueueFullException;
import io.headgate.queues.worker.ClaimedJob;
import io.headgate.queues.worker.Settlement;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import java.util.function.Supplier;

/**
 * A claimed notification with its dead letter. The dead letter is discarded or redriven before the notification is acknowledged. So a
 * process that dies at any time leaves both, or only the notification, which is acknowledged when it is claimed again.
 */
public final class ClaimedDeadLetter implements ClaimedJob<byte[]> {

    /** The cause of the notification of a dead letter that is kept. It is stored: after a change, kept dead letters are delivered again. */
    static final String KEPT = "kept";

    /** How often the notification of a kept dead letter is claimed, to acknowledge it when the dead letter is gone. */
    static final Duration CHECK_OF_KEPT = Duration.ofDays(1);

    /** How long a dead letter waits that cannot be redriven as its queue is full. */
    public static final Duration WAIT_FOR_ROOM = Duration.ofMinutes(1);

    /** How often a dead letter is discarded or redriven until that succeeds. */
    private static final int MAX_CALLS = 3;

    private final ClaimedJob<byte[]> notification;
    private final DeadLetter<byte[]> deadLetter;
    private final AsyncDeadLetters<byte[]> deadLetters;

    ClaimedDeadLetter(
            ClaimedJob<byte[]> notification, DeadLetter<byte[]> deadLetter, AsyncDeadLetters<byte[]> deadLetters) {
        this.notification = notification;
        this.deadLetter = deadLetter;
        this.deadLetters = deadLetters;
    }

    /** Returns the dead letter. */
    public DeadLetter<byte[]> deadLetter() {
        return deadLetter;
    }

    @Override
    public JobId id() {
        return notification.id();
    }

    @Override
    public int shard() {
        return notification.shard();
    }

    @Override
    public Job<byte[]> job() {
        return notification.job();
    }

    @Override
    public int crashes() {
        return notification.crashes();
    }

    /** Discards the dead letter, unless it died again since it was delivered. Tries again if that fails, but not more than twice. */
    public CompletionStage<Boolean> discard() {
        return repeated(() -> deadLetters.discard(deadLetter.job().id(), deadLetter.diedAt()), MAX_CALLS);
    }

    /**
     * Redrives the dead letter, unless it died again since it was delivered. Tries again if that fails, but not more than twice.
     *
     * @return a stage with false if the queue is full
     */
    public CompletionStage<Boolean> redrive() {
        return repeated(this::redriveOnce, MAX_CALLS);
    }

    private CompletionStage<Boolean> redriveOnce() {
        return deadLetters.redrive(deadLetter.job().id(), deadLetter.diedAt()).handle((done, failure) -> {
            Throwable cause = failure instanceof CompletionException ? failure.getCause() : failure;
            if (failure == null || cause instanceof QueueFullException) {
                return failure == null;
            }
            throw new CompletionException(cause);
        });
    }

    /** Makes a call until it succeeds; the last failure is that of the stage. The calls are idempotent. */
    private static <R> CompletableFuture<R> repeated(Supplier<CompletionStage<R>> call, int most) {
        return CompletableFuture.completedFuture(call)
                .thenCompose(Supplier::get)
                .exceptionallyCompose(
                        failure -> most > 1 ? repeated(call, most - 1) : CompletableFuture.failedFuture(failure));
    }

    /** Returns the settlement of the notification of a dead letter that was discarded or redriven. */
    @Override
    public Settlement ackSettlement() {
        return notification.ackSettlement();
    }

    /** Returns the settlement that keeps the dead letter. It is not delivered again, unless it is redriven and fails again. */
    public Settlement keepSettlement() {
        return notification.retrySettlement(CHECK_OF_KEPT, KEPT);
    }

    @Override
    public Settlement handBackSettlement(Duration delay) {
        return notification.handBackSettlement(delay);
    }

    @Override
    public Settlement retrySettlement(Duration delay, String cause) {
        return notification.handBackSettlement(delay);
    }

    /** Returns the settlement that delivers the dead letter again later, as a notification must not get lost. */
    @Override
    public Settlement deadLetterSettlement(String cause) {
        return notification.handBackSettlement(WAIT_FOR_ROOM);
    }

    @Override
    public Settlement extendSettlement(Duration lease) {
        return notification.extendSettlement(lease);
    }
}
