package io.headgate.limits.internal;

import io.headgate.limits.Decision;
import io.headgate.limits.TokenBucket;

/**
 * A token bucket kept as a debt of time: how long the refill needs until the bucket is full.
 *
 * <p>This is the generic cell rate algorithm (ITU-T I.371) with its theoretical arrival time told from the last charge.
 * A request is admitted when the debt with it is no longer than the whole bucket takes. The debt is exact (see {@link
 * RefillRate}), and the state names its rate: under another rate the same number of permits is owed.
 */
final class TokenBucketAlgorithm extends Algorithm<TokenBucketAlgorithm.State> {

    /** What is owed beyond whole permits is carried to another rate in these parts of a permit, rounded up. */
    private static final long PARTS = 256;

    private final long capacity;
    private final RefillRate rate;

    TokenBucketAlgorithm(TokenBucket limit) {
        this.capacity = limit.capacity();
        this.rate = RefillRate.of(limit.refillPermits(), Micros.of(limit.refillPeriod()));
    }

    static final class State {
        long lastMicros;
        long debtMicros;
        long debtRemainder;
        RefillRate rate;

        State(RefillRate rate) {
            this.rate = rate;
        }
    }

    @Override
    State start() {
        return new State(rate);
    }

    @Override
    void look(State state, long permits, long nowMicros, Outcome outcome) {
        long now = Math.max(nowMicros, state.lastMicros);
        State owed = owedAt(state, now);
        long left = Math.max(0, capacity - rate.permitsRoundedUp(owed.debtMicros, owed.debtRemainder));
        long reset = wait(owed, 0, now - nowMicros);
        if (permits <= left) {
            outcome.allow(left, reset);
        } else {
            long retry = permits > capacity ? Decision.NEVER : wait(owed, capacity - permits, now - nowMicros);
            outcome.deny(left, retry, reset);
        }
    }

    @Override
    void charge(State state, long permits, long nowMicros, Outcome outcome) {
        long now = Math.max(nowMicros, state.lastMicros);
        State owed = owedAt(state, now);
        long remainder = owed.debtRemainder + rate.remainder(permits);
        state.lastMicros = now;
        state.debtMicros = owed.debtMicros + rate.whole(permits) + remainder / rate.permits();
        state.debtRemainder = remainder % rate.permits();
        state.rate = rate;
        outcome.allow(outcome.remaining - permits, wait(state, 0, now - nowMicros));
    }

    /** How long until no more than {@code permits} are owed; {@code ahead} is how far the state's time is in front. */
    private long wait(State owed, long permits, long ahead) {
        long whole = owed.debtMicros - rate.whole(permits);
        long remainder = owed.debtRemainder - rate.remainder(permits);
        long span = remainder > 0 ? whole + 1 : whole;
        return span > 0 ? span + ahead : 0;
    }

    /** What is still owed at {@code now}, in time of this algorithm's rate. */
    private State owedAt(State state, long now) {
        State owed = new State(rate);
        long debt = state.debtMicros - (now - state.lastMicros);
        if (debt < 0) {
            return owed;
        }
        owed.debtMicros = debt;
        owed.debtRemainder = state.debtRemainder;
        if (!state.rate.equals(rate)) {
            carryOver(owed, state.rate);
        }
        return owed;
    }

    private void carryOver(State owed, RefillRate old) {
        long permits = old.permitsIn(owed.debtMicros, owed.debtRemainder);
        long restMicros = owed.debtMicros - old.whole(permits);
        long rest = restMicros * old.permits() + owed.debtRemainder - old.remainder(permits);
        long parts = divideUp(rest * PARTS, old.periodMicros());
        if (permits >= rate.maxCarried()) {
            permits = rate.maxCarried();
            parts = 0;
        }
        long remainder = rate.remainder(permits) + divideUp(parts * rate.periodMicros(), PARTS);
        owed.debtMicros = rate.whole(permits) + remainder / rate.permits();
        owed.debtRemainder = remainder % rate.permits();
    }

    private static long divideUp(long dividend, long divisor) {
        return (dividend + divisor - 1) / divisor;
    }
}
