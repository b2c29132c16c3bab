package io.headgate.limits.internal.algorithm;

import io.headgate.limits.LeakyBucket;
import io.headgate.limits.TokenBucket;
import io.headgate.limits.internal.algorithm.RefillRate.Debt;

/**
 * A token bucket, stored as a debt: the permits that are missing until it is full. A leaky bucket is the same, with the debt as its
 * content, which still has to leak out. Under a shaper, an admitted request waits until the debt before it has leaked out.
 *
 * <p>This is the generic cell rate algorithm (ITU-T I.371) expressed in permits instead of arrival times. The debt is a number of whole
 * permits and of parts of one permit. The rate is in lowest terms, and a permit has as many parts as its period has microseconds. So each
 * microsecond pays off as many parts as the rate has permits, and the debt is not rounded. If the limit of a key changes, the key keeps
 * its debt in permits, and pays it off at the new rate. Only such a change rounds the debt: the parts of a permit are rounded up to parts
 * of the new period.
 */
final class BucketAlgorithm extends Algorithm<BucketAlgorithm.State> {

    private final long capacity;
    private final RefillRate rate;
    private final boolean shapes;

    BucketAlgorithm(TokenBucket limit) {
        this.capacity = limit.capacity();
        this.rate = LimitKind.rateOf(limit);
        this.shapes = false;
    }

    BucketAlgorithm(LeakyBucket limit) {
        this.capacity = limit.capacity();
        this.rate = LimitKind.rateOf(limit);
        this.shapes = limit.mode() == LeakyBucket.Mode.SHAPER;
    }

    static final class State extends Counter {

        /** The time of the last charge or refund, in microseconds since 1970. */
        long lastMicros;

        /** The debt at {@link #lastMicros}: whole permits. */
        long owed;

        /** The rest of the debt, in parts of a permit. */
        long parts;

        /** How many parts a permit has. */
        long periodMicros;

        State(long periodMicros) {
            this.periodMicros = periodMicros;
        }
    }

    @Override
    public State start() {
        return new State(rate.periodMicros());
    }

    @Override
    public void peek(State state, long permits, long nowMicros, Outcome outcome) {
        long now = Math.max(nowMicros, state.lastMicros);
        Debt debt = debtAt(state, now);
        long left = left(debt);
        if (permits <= left) {
            outcome.allow(left, wait(debt.whole(), debt.parts(), now - nowMicros));
            // A peek charges nothing, so the whole debt is from earlier requests.
            outcome.delayMicros = shapes ? outcome.resetMicros : 0;
        } else {
            deny(debt, permits, now - nowMicros, outcome);
        }
    }

    @Override
    public void charge(State state, long permits, long nowMicros, Outcome outcome) {
        long now = Math.max(nowMicros, state.lastMicros);
        charge(state, debtAt(state, now), permits, now, nowMicros, outcome);
    }

    /** Peeks and charges, but computes the debt only once. */
    @Override
    public void acquire(State state, long permits, long nowMicros, Outcome outcome) {
        long now = Math.max(nowMicros, state.lastMicros);
        Debt debt = debtAt(state, now);
        if (permits <= left(debt)) {
            charge(state, debt, permits, now, nowMicros, outcome);
        } else {
            deny(debt, permits, now - nowMicros, outcome);
        }
    }

    private long left(Debt debt) {
        return Math.max(0, capacity - debt.roundedUp());
    }

    private void charge(State state, Debt debt, long permits, long now, long nowMicros, Outcome outcome) {
        state.lastMicros = now;
        state.owed = debt.whole() + permits;
        state.parts = debt.parts();
        state.periodMicros = rate.periodMicros();
        outcome.allow(left(debt) - permits, wait(state.owed, state.parts, now - nowMicros));
        outcome.delayMicros = shapes ? wait(debt.whole(), debt.parts(), now - nowMicros) : 0;
    }

    @Override
    public long refund(State state, Charge charge, long nowMicros) {
        long now = Math.max(nowMicros, state.lastMicros);
        Debt owed = debtAt(state, now);
        // Unless reduced below, all permits are unpaid: those of the last charge, and the oldest ones, whose time is
        // unknown.
        Debt unpaid = new Debt(charge.permits(), 0);
        if (!charge.isOfOldest() && charge.atMicros() != state.lastMicros) {
            // Charges are paid off in order, and later ones may be owed, too. This one is paid off when the bucket
            // would have been full after it: just before wholeAtMicros, which was rounded up.
            unpaid = rate.refilledIn(Math.max(0, charge.wholeAtMicros() - 1 - now))
                    .least(unpaid);
        }
        Debt refunded = unpaid.least(owed);
        if (refunded.roundedUp() > 0) {
            Debt left = rate.minus(owed, refunded);
            state.lastMicros = now;
            state.owed = left.whole();
            state.parts = left.parts();
            state.periodMicros = rate.periodMicros();
        }
        return refunded.roundedUp();
    }

    @Override
    public boolean chargeAttempt(State state, long permits, long nowMicros) {
        long now = Math.max(nowMicros, state.lastMicros);
        Debt debt = debtAt(state, now);
        long free = capacity - debt.whole();
        if (free <= 0) {
            return false;
        }
        state.lastMicros = now;
        state.owed = debt.whole() + Math.min(permits, free);
        // Permits that fill the bucket make its debt the capacity, without parts.
        state.parts = permits < free ? debt.parts() : 0;
        state.periodMicros = rate.periodMicros();
        return true;
    }

    private void deny(Debt debt, long permits, long ahead, Outcome outcome) {
        long reset = wait(debt.whole(), debt.parts(), ahead);
        boolean never = permits > capacity;
        long retry = never ? Outcome.NEVER : wait(debt.whole() - capacity + permits, debt.parts(), ahead);
        outcome.deny(left(debt), retry, reset);
    }

    /** The time until this debt is paid off; {@code ahead} is how far the time of the key is ahead of the time of the call. */
    private long wait(long whole, long parts, long ahead) {
        long micros = rate.microsToRefill(whole, parts);
        return micros > 0 ? micros + ahead : 0;
    }

    /** The debt at {@code now}, in parts of this limit's period. */
    private Debt debtAt(State state, long now) {
        long parts = state.parts;
        if (state.periodMicros != rate.periodMicros()) {
            // The same fraction of a permit, in parts of the new period, rounded up. A double, as in Redis, so both
            // engines round alike.
            parts = (long) Math.ceil((double) parts / state.periodMicros * rate.periodMicros());
        }
        return rate.paidOff(state.owed, parts, now - state.lastMicros);
    }
}
