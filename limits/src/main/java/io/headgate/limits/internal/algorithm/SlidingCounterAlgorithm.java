package io.headgate.limits.internal.algorithm;

import io.headgate.limits.SlidingCounter;
import io.headgate.limits.internal.Micros;
import java.math.BigInteger;

/**
 * The sliding counter: the permits of the current clock window, plus those of the previous one, weighted by the fraction of it that the
 * sliding window still covers, rounded up.
 *
 * <p>The state has the window length under which it was charged. If the length changes, the newer count is assigned to the new window that
 * contains the last charge, and the older count to the new window that contains the end of the older window.
 */
final class SlidingCounterAlgorithm extends Algorithm<SlidingCounterAlgorithm.State> {

    private final long limit;
    private final long windowMicros;

    SlidingCounterAlgorithm(SlidingCounter limit) {
        this.limit = limit.permits();
        this.windowMicros = Micros.of(limit.window());
    }

    static final class State extends Counter {

        long lastMicros;
        /** The length of the window of the last charge; 0 if there was none. */
        long windowMicros;

        long count;
        long previous;
    }

    /** The permits of the current and of the previous window, under this limit at some time. */
    private record Counts(long count, long previous) {}

    @Override
    public State start() {
        return new State();
    }

    @Override
    public void peek(State state, long permits, long nowMicros, Outcome outcome) {
        long now = Math.max(nowMicros, state.lastMicros);
        long ahead = now - nowMicros;
        Counts counts = countsAt(state, now);
        long untilEnd = windowMicros - now % windowMicros;
        long weight = scaled(counts.previous, untilEnd, windowMicros, true);
        long left = Math.max(0, limit - counts.count - weight);
        long reset = counts.count > 0 ? untilEnd + windowMicros : counts.previous > 0 ? untilEnd : 0;
        reset = reset > 0 ? reset + ahead : 0;
        if (permits <= left) {
            outcome.allow(left, reset);
        } else if (permits > limit) {
            outcome.deny(left, Outcome.NEVER, reset);
        } else if (permits <= limit - counts.count) {
            outcome.deny(left, untilEnd - longestCover(counts.previous, limit - counts.count - permits) + ahead, reset);
        } else {
            long fromNext = windowMicros - longestCover(counts.count, limit - permits);
            outcome.deny(left, untilEnd + fromNext + ahead, reset);
        }
    }

    @Override
    public void charge(State state, long permits, long nowMicros, Outcome outcome) {
        long now = Math.max(nowMicros, state.lastMicros);
        add(state, countsAt(state, now), permits, now);
        outcome.allow(outcome.remaining - permits, 2 * windowMicros - now % windowMicros + now - nowMicros);
    }

    @Override
    public long refund(State state, Charge charge, long nowMicros) {
        long now = Math.max(nowMicros, state.lastMicros);
        long count = state.count;
        long previous = state.previous;
        long began = state.windowMicros == 0 ? 0 : state.lastMicros - state.lastMicros % state.windowMicros;
        if (charge.isOfOldest()) {
            state.previous -= isLive(earlierMicros(state), now) ? Math.min(charge.permits(), previous) : 0;
            long rest = charge.permits() - (previous - state.previous);
            state.count -= isLive(state.lastMicros, now) ? Math.min(rest, count) : 0;
        } else if (charge.atMicros() >= began) {
            state.count -= isLive(state.lastMicros, now) ? Math.min(charge.permits(), count) : 0;
        } else if (charge.atMicros() >= began - state.windowMicros) {
            state.previous -= isLive(earlierMicros(state), now) ? Math.min(charge.permits(), previous) : 0;
        }
        return count - state.count + previous - state.previous;
    }

    /** Whether a charge at that time is in the current window or the one before. */
    private boolean isLive(long micros, long now) {
        return micros >= now - now % windowMicros - windowMicros;
    }

    /** The time at which the charges of the previous window are taken to have been made. */
    private long earlierMicros(State state) {
        return state.windowMicros == windowMicros
                ? state.lastMicros - windowMicros
                : state.lastMicros - state.lastMicros % Math.max(1, state.windowMicros) - 1;
    }

    @Override
    public boolean chargeAttempt(State state, long permits, long nowMicros) {
        long now = Math.max(nowMicros, state.lastMicros);
        Counts counts = countsAt(state, now);
        long counting = Math.min(permits, limit - counts.count);
        if (counting > 0) {
            add(state, counts, counting, now);
        }
        return counting > 0;
    }

    private void add(State state, Counts counts, long permits, long now) {
        state.lastMicros = now;
        state.windowMicros = windowMicros;
        state.count = counts.count + permits;
        state.previous = counts.previous;
    }

    private Counts countsAt(State state, long now) {
        if (state.windowMicros == 0) {
            return new Counts(0, 0);
        }
        long starts = now - now % windowMicros;
        long earlierMicros = earlierMicros(state);
        long count = 0;
        long previous = 0;
        if (state.lastMicros >= starts) {
            count += state.count;
        } else if (state.lastMicros >= starts - windowMicros) {
            previous += state.count;
        }
        if (earlierMicros >= starts) {
            count += state.previous;
        } else if (earlierMicros >= starts - windowMicros) {
            previous += state.previous;
        }
        return new Counts(count, previous);
    }

    /** The longest part of a window that may be covered, in microseconds, so that its permits weigh at most {@code room}. */
    private long longestCover(long permits, long room) {
        return scaled(windowMicros, room, permits, false);
    }

    /** {@code a * b / c}, rounded up or down. */
    private static long scaled(long a, long b, long c, boolean up) {
        if (Math.multiplyHigh(a, b) == 0 && a * b >= 0) {
            long whole = a * b / c;
            return up && a * b % c > 0 ? whole + 1 : whole;
        }
        BigInteger[] whole =
                BigInteger.valueOf(a).multiply(BigInteger.valueOf(b)).divideAndRemainder(BigInteger.valueOf(c));
        return whole[0].longValueExact() + (up && whole[1].signum() > 0 ? 1 : 0);
    }
}
