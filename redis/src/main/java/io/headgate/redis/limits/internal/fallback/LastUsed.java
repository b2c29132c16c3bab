package io.headgate.redis.limits.internal.fallback;

import io.headgate.limits.LeakyBucket;
import io.headgate.limits.Limit;
import io.headgate.limits.RuleDecision;
import io.headgate.limits.TimeSource;
import io.headgate.limits.TokenBucket;
import io.headgate.limits.internal.Micros;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;

/**
 * The last usage that Redis reported of each key with at least a tenth of its limit in use. In an outage, a local share starts from its
 * part of this usage, and not from zero. If a key is used with several limits, as by a rule with overrides, a report under one limit does
 * not lower the usage reported under another, until an update of the policy has replaced that one. The number of keys is bounded: the share
 * of a key that is not stored starts from zero. Safe for use by several threads.
 */
final class LastUsed {

    /** Usage of less than a tenth of a limit is not stored. */
    private static final int PARTS = 10;

    private static final long SWEEP_MICROS = 1_000_000;

    private final int maxKeys;
    private final Map<String, Used> byKey = new ConcurrentHashMap<>();
    private final AtomicLong sweptMicros = new AtomicLong(Long.MIN_VALUE / 2);

    /**
     * The used permits of a key under a limit at a time, and how long until none of them counts.
     *
     * @param isReplaced whether an update has replaced the version of the policy with this limit
     */
    private record Used(Limit limit, AtomicBoolean isReplaced, long permits, long atMicros, long resetMicros) {

        /** Whether a report under this limit may lower this usage. */
        boolean yieldsTo(Limit reported) {
            return limit.equals(reported) || isReplaced.get();
        }

        long left(long nowMicros) {
            long passed = Math.max(0, nowMicros - atMicros);
            if (passed >= resetMicros) {
                return 0;
            }
            // A bucket refills evenly; in a window all usage may stay until its end.
            boolean refills = limit instanceof TokenBucket || limit instanceof LeakyBucket;
            return refills ? (long) Math.ceil(permits * (1 - (double) passed / resetMicros)) : permits;
        }
    }

    LastUsed(int maxKeys) {
        this.maxKeys = maxKeys;
    }

    /**
     * Stores the usage of a key that Redis has just reported. If it is too small, removes older usage that it may lower, without reading
     * the clock.
     *
     * @param isReplaced whether an update has replaced the version of the policy that has decided; shared by its decisions
     */
    void learn(String key, RuleDecision reported, AtomicBoolean isReplaced, TimeSource clock) {
        Limit limit = reported.rule().limit();
        long used = reported.limit() - reported.remaining();
        if (used * PARTS < reported.limit()) {
            Used known = byKey.isEmpty() ? null : byKey.get(key);
            if (known != null && known.yieldsTo(limit)) {
                byKey.remove(key, known);
            }
            return;
        }
        long nowMicros = clock.nowMicros();
        Used known = byKey.get(key);
        boolean lacksRoom = known == null && byKey.size() >= maxKeys && !hasRoomAfterSweep(nowMicros);
        boolean lowersOther = known != null && !known.yieldsTo(limit) && known.left(nowMicros) > used;
        if (lacksRoom || lowersOther) {
            return;
        }
        byKey.put(key, new Used(limit, isReplaced, used, nowMicros, Micros.of(reported.resetAfter())));
    }

    /** Removes a key, and returns how many of its permits are still in use: from now on the local share counts them. */
    long take(String key, long nowMicros) {
        Used used = byKey.isEmpty() ? null : byKey.remove(key);
        return used == null ? 0 : used.left(nowMicros);
    }

    int size() {
        return byKey.size();
    }

    private boolean hasRoomAfterSweep(long nowMicros) {
        long before = sweptMicros.get();
        if (nowMicros - before >= SWEEP_MICROS && sweptMicros.compareAndSet(before, nowMicros)) {
            byKey.values().removeIf(used -> used.left(nowMicros) == 0);
        }
        return byKey.size() < maxKeys;
    }
}
