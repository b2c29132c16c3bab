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
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Supplier;

/**
 * A claimed notification with its dead letter. Its acknowledgement discards the dead letter first. So a process that dies at any time
 * leaves both, or only the notification, which is acknowledged when it is claimed again.
 */
public final class ClaimedDeadLetter implements ClaimedJob<byte[]> {

    /** The cause of the notification of a dead letter that is kept. It is stored: after a change, kept dead letters are delivered again. */
    static final String KEPT = "kept";

    /** How often the notification of a kept dead letter is claimed, to acknowledge it when the dead letter is gone. */
    static final Duration CHECK_OF_KEPT = Duration.ofDays(1);

    /** How long a dead letter waits that cannot be redriven as its queue is full. */
    private static final Duration WAIT_FOR_ROOM = Duration.ofMinutes(1);

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

    /** Returns the settlement that discards the dead letter, unless it died again since it was delivered. */
    @Override
    public Settlement ackSettlement() {
        return new AfterCall(
                () -> deadLetters
                        .discard(deadLetter.job().id(), deadLetter.diedAt())
                        .thenApply(done -> notification.ackSettlement()),
                notification.handBackSettlement(WAIT_FOR_ROOM));
    }

    /**
     * Returns the settlement that redrives the dead letter, unless it died again since it was delivered. If its queue is full, the dead
     * letter waits.
     */
    public Settlement redriveSettlement() {
        return new AfterCall(this::redrive, notification.handBackSettlement(WAIT_FOR_ROOM));
    }

    /** Returns the settlement that keeps the dead letter. It is not delivered again, unless it is redriven and fails again. */
    public Settlement keepSettlement() {
        return notification.retrySettlement(CHECK_OF_KEPT, KEPT);
    }

    private CompletionStage<Settlement> redrive() {
        return deadLetters.redrive(deadLetter.job().id(), deadLetter.diedAt()).handle((done, failure) -> {
            Throwable cause = failure instanceof CompletionException ? failure.getCause() : failure;
            if (cause instanceof QueueFullException) {
                return notification.handBackSettlement(WAIT_FOR_ROOM);
            }
            if (failure != null) {
                throw new CompletionException(cause);
            }
            return notification.ackSettlement();
        });
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

    /** A settlement of a notification that is sent after a call that settles its dead letter. */
    static final class AfterCall implements Settlement {

        /** The failures of the call after which the dead letter is delivered again later, so that others can be settled. */
        private static final int MAX_FAILURES = 3;

        private final Supplier<CompletionStage<Settlement>> call;
        private final Settlement deliverAgain;
        private final AtomicInteger failures = new AtomicInteger();

        AfterCall(Supplier<CompletionStage<Settlement>> call, Settlement deliverAgain) {
            this.call = call;
            this.deliverAgain = deliverAgain;
        }

        @Override
        public Kind kind() {
            return Kind.ACK;
        }

        @Override
        public int weight() {
            // One more call, and perhaps a job that waits again.
            return 5;
        }

        /** Makes the call, and returns the settlement of the notification. A second call does no harm. */
        CompletableFuture<Settlement> settlement() {
            return CompletableFuture.completedFuture(call)
                    .thenCompose(Supplier::get)
                    .exceptionallyCompose(failure -> failures.incrementAndGet() < MAX_FAILURES
                            ? CompletableFuture.failedFuture(failure)
                            : CompletableFuture.completedFuture(deliverAgain));
        }
    }
}
