package io.headgate.testkit.model;

import io.headgate.limits.FixedWindow;
import io.headgate.limits.Limit;
import io.headgate.limits.SlidingCounter;
import io.headgate.limits.SlidingWindow;
import java.time.Duration;

/**
 * What is counted for one key. The limit comes with each call, since it may change while the key lives.
 *
 * <p>A key has a time of its own, which never runs backwards: when the clock goes back, the key stands still at its
 * last charge until the clock has caught up. Waits are told from the clock.
 */
abstract sealed class Count permits FixedWindowCount, SlidingWindowCount, SlidingCounterCount, TokenBucketCount {

    private long lastMicros;

    static Count start(Limit limit) {
        if (limit instanceof FixedWindow) {
            return new FixedWindowCount();
        }
        if (limit instanceof SlidingWindow) {
            return new SlidingWindowCount();
        }
        return limit instanceof SlidingCounter ? new SlidingCounterCount() : new TokenBucketCount();
    }

    /** Answers at the key's time {@code atMicros}, with waits from there. */
    abstract Answer lookAt(Limit limit, long permits, long atMicros);

    /** Counts permits that were just allowed. */
    abstract void add(Limit limit, long permits, long atMicros);

    final Answer look(Limit limit, long permits, long nowMicros) {
        long atMicros = Math.max(nowMicros, lastMicros);
        return lookAt(limit, permits, atMicros).later(atMicros - nowMicros);
    }

    /** A charge is answered by what is seen right after it. */
    final Answer charge(Limit limit, long permits, long nowMicros) {
        long atMicros = Math.max(nowMicros, lastMicros);
        add(limit, permits, atMicros);
        lastMicros = atMicros;
        Answer after = look(limit, 1, nowMicros);
        return new Answer(after.remaining(), Answer.NOW, after.resetMicros());
    }

    /** When the key was last charged; 0 when it never was. */
    final long lastMicros() {
        return lastMicros;
    }

    static long micros(Duration duration) {
        return duration.toNanos() / 1000;
    }
}
