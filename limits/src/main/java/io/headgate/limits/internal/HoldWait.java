package io.headgate.limits.internal;

import io.headgate.limits.Hold;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.function.Supplier;

/** One who waits for a place, until a deadline. */
final class HoldWait extends TimedWait<Hold> {

    final String policy;
    final List<String> places;
    final long permits;
    final Supplier<CompletableFuture<Hold>> asking;

    /** In which order those who wait came; set when it takes its place in a line. */
    long number;

    /**
     * One who waits.
     *
     * @param asking asks once, under the limits of then
     */
    HoldWait(
            String policy,
            List<String> places,
            long permits,
            Supplier<CompletableFuture<Hold>> asking,
            long deadlineNanos) {
        super(deadlineNanos);
        this.policy = policy;
        this.places = places;
        this.permits = permits;
        this.asking = asking;
    }
}
