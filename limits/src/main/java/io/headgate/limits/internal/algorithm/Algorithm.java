package io.headgate.limits.internal.algorithm;

import io.headgate.limits.CalendarWindow;
import io.headgate.limits.FixedWindow;
import io.headgate.limits.LeakyBucket;
import io.headgate.limits.Limit;
import io.headgate.limits.SlidingCounter;
import io.headgate.limits.SlidingWindow;
import io.headgate.limits.TokenBucket;

/**
 * The arithmetic of a limit, without storage. The Lua scripts compute the same numbers.
 *
 * <p>An algorithm is immutable; its state is not, and the caller holds the state's lock. Time never runs backwards for
 * a state: a time before its last charge is taken as the time of that charge, while waits are computed from the real time.
 *
 * @param <S> the counter with the state of a key
 */
public abstract sealed class Algorithm<S extends Counter>
        permits FixedWindowAlgorithm, SlidingWindowAlgorithm, SlidingCounterAlgorithm, BucketAlgorithm {

    /** The algorithm of a limit. */
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

    /** The counter of a key that was never charged. */
    public abstract S start();

    /** Computes whether {@code permits} would be admitted at {@code nowMicros}; changes nothing. */
    public abstract void look(S state, long permits, long nowMicros, Outcome outcome);

    /** Charges {@code permits} that a peek at the same time allowed, and updates the outcome of the peek. */
    public abstract void charge(S state, long permits, long nowMicros, Outcome outcome);

    /**
     * Charges {@code permits} that this rule or another denied, but never more than the limit. Returns false if there was nothing left to
     * charge.
     */
    public abstract boolean chargeAttempt(S state, long permits, long nowMicros);

    /** Refunds what still counts of a charge, and returns its permits, rounded up. */
    public abstract long refund(S state, Charge charge, long nowMicros);

    /** Looks, and charges allowed permits: the whole decision of a policy with one rule. */
    public void acquire(S state, long permits, long nowMicros, Outcome outcome) {
        look(state, permits, nowMicros, outcome);
        if (outcome.allowed()) {
            charge(state, permits, nowMicros, outcome);
        }
    }
}
