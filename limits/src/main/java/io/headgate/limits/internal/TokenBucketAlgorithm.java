package io.headgate.limits.internal;

import io.headgate.limits.TokenBucket;

/**
 * A token bucket kept as a debt: how many permits are owed until it is full.
 *
 * <p>This is the generic cell rate algorithm (ITU-T I.371) told in permits instead of arrival times. The debt is whole
 * permits and parts of one; a permit has as many parts as the refill's period has microseconds, so each microsecond
 * pays off as many parts as the refill has permits, and nothing is ever rounded. A key that is asked under another limit
 * owes the same permits, and they are paid off at that limit's rate.
 */
final class TokenBucketAlgorithm extends Algorithm<TokenBucketAlgorithm.State> {

    private final long capacity;
    private final RefillRate rate;

    TokenBucketAlgorithm(TokenBucket limit) {
        this.capacity = limit.capacity();
        this.rate = RefillRate.of(limit.refillPermits(), Micros.of(limit.refillPeriod()));
    }

    static final class State {
        long lastMicros;
        long owed;
        long parts;
        long periodMicros;
    }

    @Override
    State start() {
        State state = new State();
        state.periodMicros = rate.periodMicros();
        return state;
    }

    @Override
    void look(State state, long permits, long nowMicros, Outcome outcome) {
        long now = Math.max(nowMicros, state.lastMicros);
        State debt = debtAt(state, now);
        long ahead = now - nowMicros;
        long left = Math.max(0, capacity - debt.owed - (debt.parts > 0 ? 1 : 0));
        long untilWhole = rate.microsToRefill(debt.owed, debt.parts);
        long reset = untilWhole > 0 ? untilWhole + ahead : 0;
        if (permits <= left) {
            outcome.allow(left, reset);
        } else if (permits > capacity) {
            outcome.deny(left, Outcome.NEVER, reset);
        } else {
            outcome.deny(left, rate.microsToRefill(debt.owed - capacity + permits, debt.parts) + ahead, reset);
        }
    }

    @Override
    void charge(State state, long permits, long nowMicros, Outcome outcome) {
        long now = Math.max(nowMicros, state.lastMicros);
        State debt = debtAt(state, now);
        state.lastMicros = now;
        state.owed = debt.owed + permits;
        state.parts = debt.parts;
        state.periodMicros = rate.periodMicros();
        outcome.allow(outcome.remaining - permits, rate.microsToRefill(state.owed, state.parts) + now - nowMicros);
    }

    /** What is still owed at {@code now}, in parts of this limit's period. */
    private State debtAt(State state, long now) {
        State debt = start();
        debt.owed = state.owed;
        debt.parts = state.parts;
        if (state.periodMicros != debt.periodMicros) {
            // The same share of a permit, rounded up. It is a double, as on Redis; every engine rounds it alike.
            debt.parts = (long) Math.ceil((double) state.parts / state.periodMicros * debt.periodMicros);
        }
        RefillRate.Refilled paid = rate.refilledIn(now - state.lastMicros, state.owed + 2);
        debt.owed -= paid.whole();
        debt.parts -= paid.parts();
        if (debt.parts < 0) {
            debt.owed--;
            debt.parts += debt.periodMicros;
        } else if (debt.parts == debt.periodMicros) {
            debt.owed++;
            debt.parts = 0;
        }
        if (debt.owed < 0) {
            debt.owed = 0;
            debt.parts = 0;
        }
        return debt;
    }
}
