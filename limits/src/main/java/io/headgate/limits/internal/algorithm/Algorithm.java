package io.headgate.limits.internal.algorithm;

import io.headgate.limits.CalendarWindow;
import io.headgate.limits.FixedWindow;
import io.headgate.limits.LeakyBucket;
import io.headgate.limits.Limit;
import io.headgate.limits.SlidingCounter;
import io.headgate.limits.SlidingWindow;
import io.headgate.limits.TokenBucket;

/**
 * The arithmetic of one limit, separate from storage. The Lua scripts compute the same numbers.
 *
 * <p>An algorithm is immutable. The state of a key is mutable, and the caller holds its lock. Time never runs backwards for a state: if
 * a call has a time before the last charge, the time of that charge is used, but waits are computed from the time of the call.
 *
 * @param <S> the type of the counter, which has the state of a key
 */
public abstract sealed class Algorithm<S extends Counter>
        permits FixedWindowAlgorithm, SlidingWindowAlgorithm, SlidingCounterAlgorithm, BucketAlgorithm {

    /** Returns the algorithm of a limit. */
    public static Algorithm<?> of(Limit limit) {
        return switch (LimitKind.of(limit)) {
            case FIXED_WINDOW -> new FixedWindowAlgorithm((FixedWindow) limit);
            case SLIDING_WINDOW -> new SlidingWindowAlgorithm((SlidingWindow) limit);
            case SLIDING_COUNTER -> new SlidingCounterAlgorithm((SlidingCounter) limit);
            case CALENDAR_WINDOW -> new FixedWindowAlgorithm((CalendarWindow) limit);
            case TOKEN_BUCKET -> new BucketAlgorithm((TokenBucket) limit);
            case LEAKY_BUCKET -> new BucketAlgorithm((LeakyBucket) limit);
        };
    }

    /** Returns the counter of a key that was never charged. */
    public abstract S start();

    /** Computes whether {@code permits} would be admitted at {@code nowMicros}; changes nothing. */
    public abstract void peek(S state, long permits, long nowMicros, Outcome outcome);

    /** Charges {@code permits} that a peek at the same time allowed, and updates the outcome of the peek. */
    public abstract void charge(S state, long permits, long nowMicros, Outcome outcome);

    /**
     * Charges the {@code permits} of a request that this rule, another one or another policy denied, but never raises the count above the
     * limit. A sliding window drops its oldest permits to make room; other limits charge only as many as still fit. Returns whether
     * anything was charged.
     */
    public abstract boolean chargeAttempt(S state, long permits, long nowMicros);

    /** Refunds the part of a charge that still counts, and returns its permits, rounded up. */
    public abstract long refund(S state, Charge charge, long nowMicros);

    /** Peeks, and charges permits that are allowed: the complete decision for a policy with one rule. */
    public void acquire(S state, long permits, long nowMicros, Outcome outcome) {
        peek(state, permits, nowMicros, outcome);
        if (outcome.allowed()) {
            charge(state, permits, nowMicros, outcome);
        }
    }
}
