package io.headgate.redis.limits.internal.denials;

import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.ReentrantLock;

/**
 * When permits of a key were last released by a refund, a reset or another limit. A denial that was requested before that may be outdated, and
 * its reply may be processed after the reply to the refund, since threads race. So a denial is cached only if it was
 * requested after the latest release.
 *
 * <p>Times are those of {@link System#nanoTime()}, never of a clock that is given. All keys are dropped about once a second.
 * From then on, requests are compared with the latest of the dropped releases. At most a fixed number of keys is kept. Safe for use by any number of threads.
 */
final class RecentReleases {

    private static final long KEPT_NANOS = TimeUnit.SECONDS.toNanos(1);

    private final int most;
    private final ReentrantLock lock = new ReentrantLock();
    private final Map<Object, Long> latestNanos = new ConcurrentHashMap<>();

    /** The latest release of a key that is not kept, or of all keys. */
    private final AtomicLong latestOfOthersNanos;

    /** Guarded by lock. */
    private long emptiedNanos;

    /** Guarded by lock: the latest release of a key that is kept. */
    private long latestOfKeptNanos;

    /**
     * None yet.
     *
     * @param most how many keys are kept, at most
     * @param nowNanos before any request
     */
    RecentReleases(int most, long nowNanos) {
        this.most = most;
        this.latestOfOthersNanos = new AtomicLong(nowNanos - 1);
        this.emptiedNanos = nowNanos;
        this.latestOfKeptNanos = nowNanos - 1;
    }

    /** Permits of a key were released. */
    void of(Object key, long nowNanos) {
        lock.lock();
        try {
            if (nowNanos - emptiedNanos >= KEPT_NANOS) {
                // In this order: requests are compared without the lock.
                ofAll(latestOfKeptNanos);
                latestNanos.clear();
                emptiedNanos = nowNanos;
            }
            if (latestNanos.size() < most || latestNanos.containsKey(key)) {
                latestNanos.merge(key, nowNanos, RecentReleases::later);
                latestOfKeptNanos = later(latestOfKeptNanos, nowNanos);
            } else {
                ofAll(nowNanos);
            }
        } finally {
            lock.unlock();
        }
    }

    /** Permits of any key may have been released. */
    void ofAll(long nowNanos) {
        latestOfOthersNanos.accumulateAndGet(nowNanos, RecentReleases::later);
    }

    /** Whether permits of that key may have been released at that time or after it. */
    boolean isSince(Object key, long nanos) {
        Long ofKey = latestNanos.get(key);
        return (ofKey != null && ofKey - nanos >= 0) || latestOfOthersNanos.get() - nanos >= 0;
    }

    private static long later(long a, long b) {
        return a - b > 0 ? a : b;
    }
}
