package io.headgate.spring.queues.internal;

import io.headgate.queues.Job;
import io.headgate.spring.queues.Acknowledgement;
import io.headgate.spring.queues.DeadLetterAcknowledgement;
import io.headgate.spring.queues.internal.deadletters.ClaimedDeadLetter;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;

/**
 * The payload of a job while a listener handles it: the bytes, and how the listener settles the job itself. Safe for use by several
 * threads.
 */
final class Delivery implements Acknowledgement, DeadLetterAcknowledgement {

    private static final Duration LONGEST_DELAY = Duration.ofDays(3660);

    private final byte[] bytes;
    private final JobLease lease;
    private final AtomicReference<@Nullable Decision> decision = new AtomicReference<>();
    private final Optional<ClaimedDeadLetter> deadLetter;
    private volatile @Nullable Object payload;

    Delivery(byte[] bytes, JobLease lease) {
        this.bytes = bytes;
        this.lease = lease;
        this.deadLetter = Optional.empty();
    }

    Delivery(ClaimedDeadLetter deadLetter, JobLease lease) {
        this.bytes = deadLetter.deadLetter().job().payload();
        this.lease = lease;
        this.deadLetter = Optional.of(deadLetter);
    }

    /** How a listener settles a job. */
    sealed interface Decision {}

    /** The job is done. */
    record Ack() implements Decision {}

    /** The attempt failed, and the next one is due after the delay. */
    record Retry(Duration delay, String cause) implements Decision {}

    /** The job is released, and due after the delay. */
    record HandBack(Duration delay) implements Decision {}

    /** The job becomes a dead letter. */
    record MoveToDeadLetters(String cause) implements Decision {}

    /** The dead letter is redriven. */
    record Redrive() implements Decision {}

    /** The dead letter stays. */
    record Keep() implements Decision {}

    byte[] bytes() {
        return bytes;
    }

    JobLease lease() {
        return lease;
    }

    /** Returns when the job became a dead letter, if the listener receives dead letters. */
    Optional<Instant> diedAt() {
        return deadLetter.map(found -> found.deadLetter().diedAt());
    }

    /** Returns the job that a listener receives: the claimed one, or the dead letter of a claimed notification. */
    static Job<Delivery> received(Job<Delivery> claimed) {
        Delivery delivery = claimed.payload();
        return delivery.deadLetter
                .map(dead -> withPayload(dead.deadLetter().job(), delivery))
                .orElse(claimed);
    }

    /** Records the converted payload, for listeners of the worker. */
    void converted(Object value) {
        payload = value;
    }

    /** Returns the decision of the listener; empty before it has made one. */
    Optional<Decision> decision() {
        return Optional.ofNullable(decision.get());
    }

    /** Returns the job as the application enqueued it: with the converted payload, or the bytes if they are not converted yet. */
    static Job<?> job(Job<Delivery> job) {
        Object payload = job.payload().payload;
        return withPayload(job, payload == null ? job.payload().bytes : payload);
    }

    /** Returns the job with another payload. */
    static <T> Job<T> withPayload(Job<?> job, T payload) {
        return new Job<>(
                job.id(),
                payload,
                job.dueAt(),
                job.priority(),
                job.key(),
                job.headers(),
                job.tenant(),
                job.attempt(),
                job.delivery(),
                job.crashes(),
                job.causes());
    }

    @Override
    public void ack() {
        decide(new Ack());
    }

    @Override
    public void discard() {
        decide(new Ack());
    }

    @Override
    public void redrive() {
        decide(new Redrive());
    }

    @Override
    public void keep() {
        decide(new Keep());
    }

    @Override
    public void retry(Duration delay, String cause) {
        decide(new Retry(checked(delay), encodable(cause)));
    }

    @Override
    public void handBack(Duration delay) {
        decide(new HandBack(checked(delay)));
    }

    @Override
    public void deadLetter(String cause) {
        decide(new MoveToDeadLetters(encodable(cause)));
    }

    private static Duration checked(Duration delay) {
        if (delay.isNegative() || delay.compareTo(LONGEST_DELAY) > 0) {
            throw new IllegalArgumentException("delay must be from 0 to 3660 days, was " + delay);
        }
        return delay;
    }

    /** Replaces unpaired surrogates, which UTF-8 cannot encode. */
    private static String encodable(String cause) {
        return new String(
                Objects.requireNonNull(cause, "cause").getBytes(StandardCharsets.UTF_8), StandardCharsets.UTF_8);
    }

    private void decide(Decision made) {
        if (!decision.compareAndSet(null, made)) {
            throw new IllegalStateException("the job is settled already: " + decision.get());
        }
    }

    /**
     * Returns the decision of the listener, which has ended; empty if it has made none. Later calls of methods that decide throw an {@link
     * IllegalStateException}.
     */
    Optional<Decision> close() {
        return Optional.ofNullable(decision.getAndUpdate(made -> made == null ? new Ack() : made));
    }

    /** Discards or redrives the dead letter of a listener that has ended, as it decided; does nothing for other jobs. */
    CompletionStage<?> settleDeadLetter() {
        Decision made = decision.get();
        if (deadLetter.isPresent() && made instanceof Ack) {
            return deadLetter.get().discard();
        }
        if (deadLetter.isPresent() && made instanceof Redrive) {
            return deadLetter.get().redrive().thenAccept(redriven -> {
                if (!redriven) {
                    decision.set(new HandBack(ClaimedDeadLetter.WAIT_FOR_ROOM));
                }
            });
        }
        return CompletableFuture.completedFuture(null);
    }

    /** Ignores the decision of a listener that has failed afterwards, unless the failure is that decision. */
    void ignoreDecision(Throwable failure) {
        Throwable cause = failure instanceof CompletionException ? failure.getCause() : failure;
        if (!(cause instanceof SettledFailure)) {
            decision.set(new Ack());
        }
    }

    /** The failure of a job that its listener has settled as failed by an {@link io.headgate.spring.queues.Acknowledgement}. */
    static final class SettledFailure extends RuntimeException {

        private static final long serialVersionUID = 1;

        private final boolean deadLetter;

        /**
         * Creates a failure without a stack trace.
         *
         * @param deadLetter whether the job becomes a dead letter without another attempt
         */
        SettledFailure(String cause, boolean deadLetter) {
            super(cause, null, false, false);
            this.deadLetter = deadLetter;
        }

        boolean isDeadLetter() {
            return deadLetter;
        }
    }
}
