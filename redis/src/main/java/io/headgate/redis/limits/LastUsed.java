package io.headgate.redis.limits;

import io.headgate.limits.LeakyBucket;
import io.headgate.limits.RuleDecision;
import io.headgate.limits.TimeSource;
import io.headgate.limits.TokenBucket;
import io.headgate.limits.internal.Micros;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicLong;

/**
 * What Redis last said of keys that are used by a tenth of their limit or more, so that who goes on without it does not begin
 * anew. It keeps so many at most; a key that finds no room begins anew.
 */
final class LastUsed {

    /** What is used of less than this part of a limit is not worth to be remembered. */
    private static final int PARTS = 10;

    private static final long SWEEP_MICROS = 1_000_000;

    private final int most;
    private final Map<String, Used> byKey = new ConcurrentHashMap<>();
    private final AtomicLong sweptMicros = new AtomicLong(Long.MIN_VALUE / 2);

    /** How many permits of a key were used, when, and how long it would take until none is. */
    private record Used(long permits, long atMicros, long resetMicros, boolean refills) {

        long left(long nowMicros) {
            long passed = Math.max(0, nowMicros - atMicros);
            if (passed >= resetMicros) {
                return 0;
            }
            // A bucket refills evenly; what is in a window may all stay until its end.
            return refills ? (long) Math.ceil(permits * (1 - (double) passed / resetMicros)) : permits;
        }
    }

    LastUsed(int most) {
        this.most = most;
    }

    /** Learns what Redis said just now; asks for the time, by the clock of this process, only where that is worth to be remembered. */
    void learn(String key, RuleDecision said, TimeSource clock) {
        long used = said.limit() - said.remaining();
        if (used * PARTS < said.limit()) {
            if (!byKey.isEmpty()) {
                byKey.remove(key);
            }
            return;
        }
        long nowMicros = clock.nowMicros();
        if (byKey.size() < most || byKey.containsKey(key) || hasRoomAfterSweep(nowMicros)) {
            boolean refills =
                    said.rule().limit() instanceof TokenBucket || said.rule().limit() instanceof LeakyBucket;
            byKey.put(key, new Used(used, nowMicros, Micros.of(said.resetAfter()), refills));
        }
    }

    /** How many permits of a key are still used as far as was last said, and forgets it: from now on somebody else counts. */
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
        return byKey.size() < most;
    }
}
