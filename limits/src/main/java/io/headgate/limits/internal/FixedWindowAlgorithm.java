package io.headgate.limits.internal;

import io.headgate.limits.FixedWindow;
import io.headgate.limits.FixedWindow.Alignment;

/**
 * A counter that belongs to one window.
 *
 * <p>The state says when the first and the last of its permits were admitted, not which window it is of: whether it
 * still counts is asked of the window that the caller has now. So a changed limit, length or alignment goes on from
 * what is counted.
 */
final class FixedWindowAlgorithm extends Algorithm<FixedWindowAlgorithm.State> {

    private final long limit;
    private final long windowMicros;
    private final boolean byClock;

    FixedWindowAlgorithm(FixedWindow limit) {
        this.limit = limit.permits();
        this.windowMicros = Micros.of(limit.window());
        this.byClock = limit.alignment() == Alignment.CLOCK;
    }

    static final class State extends Counter {

        long firstMicros;
        long lastMicros;
        long count;
    }

    @Override
    State start() {
        return new State();
    }

    @Override
    void look(State state, long permits, long nowMicros, Outcome outcome) {
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
    void charge(State state, long permits, long nowMicros, Outcome outcome) {
        long now = Math.max(nowMicros, state.lastMicros);
        long count = counted(state, now);
        if (count == 0) {
            state.firstMicros = now;
        }
        state.lastMicros = now;
        state.count = count + permits;
        outcome.allow(limit - state.count, end(state, now, state.count) - nowMicros);
    }

    private long counted(State state, long now) {
        boolean running =
                byClock ? state.lastMicros >= now - now % windowMicros : now < state.firstMicros + windowMicros;
        return running ? state.count : 0;
    }

    private long end(State state, long now, long count) {
        if (byClock) {
            return now - now % windowMicros + windowMicros;
        }
        return (count > 0 ? state.firstMicros : now) + windowMicros;
    }
}
