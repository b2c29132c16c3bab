package io.headgate.limits.internal.algorithm;

import io.headgate.limits.CalendarWindow;
import io.headgate.limits.FixedWindow;
import io.headgate.limits.FixedWindow.Alignment;
import io.headgate.limits.internal.Micros;

/**
 * A counter of the permits in the current fixed or calendar window.
 *
 * <p>The state has the times of the first and the last counted permit, but not the window. The windows of the current limit determine
 * whether the count still applies. So a limit with another length or alignment continues from the current count.
 */
final class FixedWindowAlgorithm extends Algorithm<FixedWindowAlgorithm.State> {

    private final long limit;
    private final Windows windows;

    FixedWindowAlgorithm(FixedWindow limit) {
        long windowMicros = Micros.of(limit.window());
        this.limit = limit.permits();
        this.windows = limit.alignment() == Alignment.CLOCK
                ? new ClockWindows(windowMicros)
                : new FirstRequestWindows(windowMicros);
    }

    FixedWindowAlgorithm(CalendarWindow limit) {
        this.limit = limit.permits();
        this.windows = new CalendarWindows(limit);
    }

    static final class State extends Counter {

        long firstMicros;
        long lastMicros;
        long count;
    }

    /** Where windows begin and end. */
    private interface Windows {

        /** Whether {@code micros} is in the window of {@code now}, whose first permit was counted at {@code firstMicros}. */
        boolean contains(long micros, long firstMicros, long now);

        /** The end of the window of {@code now}, whose first permit was counted at {@code firstMicros}. */
        long end(long firstMicros, long now);
    }

    private record ClockWindows(long windowMicros) implements Windows {

        @Override
        public boolean contains(long micros, long firstMicros, long now) {
            return micros >= now - now % windowMicros;
        }

        @Override
        public long end(long firstMicros, long now) {
            return now - now % windowMicros + windowMicros;
        }
    }

    private record FirstRequestWindows(long windowMicros) implements Windows {

        @Override
        public boolean contains(long micros, long firstMicros, long now) {
            return micros >= firstMicros && now < firstMicros + windowMicros;
        }

        @Override
        public long end(long firstMicros, long now) {
            return firstMicros + windowMicros;
        }
    }

    /** The windows of a calendar, which are computed again only when the time is outside the last computed ones. */
    private static final class CalendarWindows implements Windows {

        private final CalendarWindow limit;
        private volatile long[] beginnings;

        CalendarWindows(CalendarWindow limit) {
            this.limit = limit;
            this.beginnings = CalendarPeriods.around(limit, 0);
        }

        @Override
        public boolean contains(long micros, long firstMicros, long now) {
            long[] starts = startsAround(now);
            return micros >= starts[CalendarPeriods.indexOf(starts, now)];
        }

        @Override
        public long end(long firstMicros, long now) {
            long[] starts = startsAround(now);
            return starts[CalendarPeriods.indexOf(starts, now) + 1];
        }

        private long[] startsAround(long now) {
            long[] starts = beginnings;
            if (CalendarPeriods.indexOf(starts, now) < 0) {
                starts = CalendarPeriods.around(limit, now);
                beginnings = starts;
            }
            return starts;
        }
    }

    @Override
    public State start() {
        return new State();
    }

    @Override
    public void peek(State state, long permits, long nowMicros, Outcome outcome) {
        long now = Math.max(nowMicros, state.lastMicros);
        long count = counted(state, now);
        long untilEnd = end(state, now, count) - nowMicros;
        long left = Math.max(0, limit - count);
        long reset = count > 0 ? untilEnd : 0;
        if (permits <= left) {
            outcome.allow(left, reset);
        } else {
            outcome.deny(left, permits > limit ? Outcome.NEVER : untilEnd, reset);
        }
    }

    @Override
    public void charge(State state, long permits, long nowMicros, Outcome outcome) {
        long now = Math.max(nowMicros, state.lastMicros);
        add(state, permits, now);
        outcome.allow(limit - state.count, end(state, now, state.count) - nowMicros);
    }

    @Override
    public long refund(State state, Charge charge, long nowMicros) {
        long now = Math.max(nowMicros, state.lastMicros);
        boolean counts = charge.isOfOldest() || windows.contains(charge.atMicros(), state.firstMicros, now);
        long refunded = counts ? Math.min(charge.permits(), counted(state, now)) : 0;
        state.count -= refunded;
        return refunded;
    }

    @Override
    public boolean chargeAttempt(State state, long permits, long nowMicros) {
        long now = Math.max(nowMicros, state.lastMicros);
        long counting = Math.min(permits, limit - counted(state, now));
        if (counting > 0) {
            add(state, counting, now);
        }
        return counting > 0;
    }

    private void add(State state, long permits, long now) {
        long count = counted(state, now);
        if (count == 0) {
            state.firstMicros = now;
        }
        state.lastMicros = now;
        state.count = count + permits;
    }

    private long counted(State state, long now) {
        return windows.contains(state.lastMicros, state.firstMicros, now) ? state.count : 0;
    }

    private long end(State state, long now, long count) {
        return windows.end(count > 0 ? state.firstMicros : now, now);
    }
}
