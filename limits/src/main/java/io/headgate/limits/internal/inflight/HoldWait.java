package io.headgate.limits.internal.inflight;

import io.headgate.limits.Hold;
import io.headgate.limits.internal.waiting.TimedWait;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.function.Supplier;

/** A request that waits for a hold until a deadline. */
final class HoldWait extends TimedWait<Hold> {

    final String policy;
    final List<String> places;
    final long permits;
    final Supplier<CompletableFuture<Hold>> attempt;

    /** The order of arrival; set when it enters a line. */
    long number;

    /**
     * Creates a waiting request.
     *
     * @param attempt makes one attempt, under the policy of that time
     */
    HoldWait(
            String policy,
            List<String> places,
            long permits,
            Supplier<CompletableFuture<Hold>> attempt,
            long deadlineNanos) {
        super(deadlineNanos);
        this.policy = policy;
        this.places = places;
        this.permits = permits;
        this.attempt = attempt;
    }
}
