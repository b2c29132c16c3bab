package io.headgate.limits.internal.algorithm;

import io.headgate.limits.SlidingWindow;
import io.headgate.limits.internal.Micros;

/**
 * The exact sliding window: a sliding-window log, whose entries are in order of time and have a running sum.
 *
 * <p>A request for n of N permits is admitted if no more than N - n were admitted in the window that ends now. As the entries have
 * sums, a binary search finds that number, and the entry that must leave the window before a denied request fits.
 *
 * <p>The log keeps the entries that any of the limits under which the key was charged needs: those within the longest window, up to the
 * largest limit. So a limit may shrink and grow again without losing admissions.
 */
final class SlidingWindowAlgorithm extends Algorithm<SlidingWindowAlgorithm.State> {

    private final long limit;
    private final long windowMicros;

    SlidingWindowAlgorithm(SlidingWindow limit) {
        this.limit = limit.permits();
        this.windowMicros = Micros.of(limit.window());
    }

    static final class State extends Counter {

        final AdmissionLog log = new AdmissionLog();
    }

    @Override
    public State start() {
        return new State();
    }

    @Override
    public void peek(State state, long permits, long nowMicros, Outcome outcome) {
        AdmissionLog log = state.log;
        long now = Math.max(nowMicros, log.lastMicros());
        long gone = log.sumUntil(now - windowMicros);
        long live = log.sum() - gone;
        long left = Math.max(0, limit - live);
        long reset = live > 0 ? log.lastMicros() + windowMicros - nowMicros : 0;
        if (permits <= left) {
            outcome.allow(left, reset);
        } else if (permits > limit) {
            outcome.deny(left, Outcome.NEVER, reset);
        } else {
            long blocking = log.timeOfSum(gone + live + permits - limit);
            outcome.deny(left, blocking + windowMicros - nowMicros, reset);
        }
    }

    @Override
    public void charge(State state, long permits, long nowMicros, Outcome outcome) {
        AdmissionLog log = state.log;
        long now = Math.max(nowMicros, log.lastMicros());
        log.append(now, permits, windowMicros, limit);
        outcome.allow(outcome.remaining - permits, now + windowMicros - nowMicros);
    }

    @Override
    public long refund(State state, Charge charge, long nowMicros) {
        AdmissionLog log = state.log;
        long goneUntilMicros = Math.max(nowMicros, log.lastMicros()) - windowMicros;
        long refunded = 0;
        if (charge.isOfOldest()) {
            refunded = log.removeOldest(charge.permits(), goneUntilMicros);
        } else if (charge.atMicros() > goneUntilMicros) {
            refunded = log.remove(charge.permits(), charge.atMicros());
        }
        if (log.isEmpty()) {
            state.expiresAtMicros = 0;
        }
        return refunded;
    }

    @Override
    public boolean chargeAttempt(State state, long permits, long nowMicros) {
        long counting = Math.min(permits, limit);
        if (counting > 0) {
            state.log.append(Math.max(nowMicros, state.log.lastMicros()), counting, windowMicros, limit);
        }
        return counting > 0;
    }
}
