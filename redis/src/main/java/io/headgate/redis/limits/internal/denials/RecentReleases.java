package io.headgate.redis.limits.internal.denials;

import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.ReentrantLock;

/**
 * The times at which permits of each key were last released: by a refund, a reset or a changed limit. A denial of a request that was sent
 * before a release may be outdated, and its reply may be processed after the reply to the refund, since threads race. So a denial is cached
 * only if its request was sent after the latest release.
 *
 * <p>Times are those of {@link System#nanoTime()}, never of a clock that the application provides. The number of stored keys is bounded. If
 * the keys were last dropped at least a second ago, the next release drops all of them. From then on, requests for these keys are compared
 * with the latest of the dropped releases. Safe for use by any number of threads.
 */
final class RecentReleases {

    private static final long KEPT_NANOS = TimeUnit.SECONDS.toNanos(1);

    private final int maxKeys;
    private final ReentrantLock lock = new ReentrantLock();
    private final Map<Object, Long> latestNanos = new ConcurrentHashMap<>();

    /** The latest release of a key that is not stored, or of all keys. */
    private final AtomicLong latestOfOthersNanos;

    /** When the keys were last dropped. Guarded by lock. */
    private long emptiedNanos;

    /** The latest release of a stored key. Guarded by lock. */
    private long latestOfKeptNanos;

    /**
     * Creates an instance without releases.
     *
     * @param maxKeys the maximum number of stored keys
     * @param nowNanos the current time, before any request
     */
    RecentReleases(int maxKeys, long nowNanos) {
        this.maxKeys = maxKeys;
        this.latestOfOthersNanos = new AtomicLong(nowNanos - 1);
        this.emptiedNanos = nowNanos;
        this.latestOfKeptNanos = nowNanos - 1;
    }

    /** Records that permits of a key were released. */
    void add(Object key, long nowNanos) {
        lock.lock();
        try {
            if (nowNanos - emptiedNanos >= KEPT_NANOS) {
                // In this order, because requests are compared without the lock.
                addForAllKeys(latestOfKeptNanos);
                latestNanos.clear();
                emptiedNanos = nowNanos;
            }
            if (latestNanos.size() < maxKeys || latestNanos.containsKey(key)) {
                latestNanos.merge(key, nowNanos, RecentReleases::later);
                latestOfKeptNanos = later(latestOfKeptNanos, nowNanos);
            } else {
                addForAllKeys(nowNanos);
            }
        } finally {
            lock.unlock();
        }
    }

    /** Records that permits of any key may have been released. */
    void addForAllKeys(long nowNanos) {
        latestOfOthersNanos.accumulateAndGet(nowNanos, RecentReleases::later);
    }

    /** Whether permits of the key may have been released at the given time or later. */
    boolean isReleasedSince(Object key, long nanos) {
        Long ofKey = latestNanos.get(key);
        return (ofKey != null && ofKey - nanos >= 0) || latestOfOthersNanos.get() - nanos >= 0;
    }

    private static long later(long a, long b) {
        return a - b > 0 ? a : b;
    }
}
