package io.headgate.redis.limits.internal.fallback;

import java.time.Duration;
import java.util.concurrent.locks.ReentrantLock;

/**
 * How many instances there are, by what Redis says. More are believed at once, and fewer only when so few were there for as long as
 * all take to say so: who is first to be heard after an outage is told that there is nobody else. Safe for use by several threads.
 */
final class InstanceCount {

    /** Twice as long as nobody is forgotten, and four times as long as all take to be heard. */
    private static final long LOWERED_NANOS = Duration.ofSeconds(10).toNanos();

    private final ReentrantLock hearing = new ReentrantLock();
    private volatile int count;

    /** The most that were heard of since there were fewer than that; 0 when there are not. */
    private int fewer;

    private long fewerSinceNanos;

    InstanceCount(int expected) {
        this.count = expected;
    }

    int get() {
        return count;
    }

    /** Redis says that so many are there. */
    void heard(int there, long nowNanos) {
        hearing.lock();
        try {
            if (there >= count) {
                count = there;
                fewer = 0;
                return;
            }
            if (fewer == 0) {
                fewerSinceNanos = nowNanos;
            }
            fewer = Math.max(fewer, there);
            if (nowNanos - fewerSinceNanos >= LOWERED_NANOS) {
                count = fewer;
                fewer = 0;
            }
        } finally {
            hearing.unlock();
        }
    }

    /** Redis says nothing, so the others could not be heard either. */
    void unheard() {
        hearing.lock();
        try {
            fewer = 0;
        } finally {
            hearing.unlock();
        }
    }
}
