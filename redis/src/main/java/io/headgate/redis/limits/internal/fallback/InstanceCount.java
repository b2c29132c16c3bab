package io.headgate.redis.limits.internal.fallback;

import java.time.Duration;
import java.util.concurrent.locks.ReentrantLock;

/**
 * The number of instances, as Redis reports it. A larger number applies immediately. A smaller one applies only after all instances had
 * time to register, since after an outage Redis reports only those that have already registered again. Safe for use by several
 * threads.
 */
final class InstanceCount {

    /**
     * How long Redis must report fewer instances before the count is lowered: as long as Redis keeps an instance, and four times as long as
     * all instances take to register.
     */
    private static final long LOWERED_NANOS = Duration.ofSeconds(10).toNanos();

    private final ReentrantLock lock = new ReentrantLock();
    private volatile int count;

    /** The largest number reported since reports became smaller than the count; 0 if the last report was not smaller. */
    private int fewer;

    private long fewerSinceNanos;

    InstanceCount(int expected) {
        this.count = expected;
    }

    int get() {
        return count;
    }

    /** Handles a report of Redis about the number of instances. */
    void received(int reported, long nowNanos) {
        lock.lock();
        try {
            if (reported >= count) {
                count = reported;
                fewer = 0;
                return;
            }
            if (fewer == 0) {
                fewerSinceNanos = nowNanos;
            }
            fewer = Math.max(fewer, reported);
            if (nowNanos - fewerSinceNanos >= LOWERED_NANOS) {
                count = fewer;
                fewer = 0;
            }
        } finally {
            lock.unlock();
        }
    }

    /** Handles a failed report: other instances may not have registered either, so the time until the count is lowered starts again. */
    void noReply() {
        lock.lock();
        try {
            fewer = 0;
        } finally {
            lock.unlock();
        }
    }
}
