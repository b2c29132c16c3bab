package io.headgate.redis.limits.internal.denials;

import io.headgate.limits.Rule;
import io.headgate.limits.RuleDecision;
import io.headgate.limits.internal.BoundedId;
import io.headgate.limits.internal.Bounds;
import io.headgate.limits.internal.decision.EngineRuleDecision;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/**
 * The cached denials of one rule, by id. A denial states when the same request would be admitted, assuming no other traffic;
 * other traffic can only delay that. A refund, a reset or a changed limit can bring it forward. This engine drops the denial
 * when it makes such a change itself, and when another engine publishes one. A change that is never published is noticed within
 * a second, as one request a second and id goes to Redis despite the cached denial.
 *
 * <p>Eviction is generational: a generation takes up to a bound, the older of two is dropped every second, and a denial that is
 * still in use was cached again before. Safe for use by any number of threads.
 */
final class RuleDenials {

    private static final long CHECK_MICROS = TimeUnit.SECONDS.toMicros(1);

    private final int maxPerGeneration;
    private final ReentrantLock rotating = new ReentrantLock();
    private volatile Map<Object, Denial> young = new ConcurrentHashMap<>();
    private volatile Map<Object, Denial> old = new ConcurrentHashMap<>();
    private volatile long rotatedMicros;
    private final AtomicLong latestMicros = new AtomicLong(Long.MIN_VALUE);

    /** How many calls in progress release permits of each id. Until they end, the cache has no denial of the id. */
    private final Map<Object, Integer> releasing = new ConcurrentHashMap<>();

    /** Releases that may be followed by replies with outdated denials. */
    private final RecentReleases releases;

    private final Runnable whenCached;

    /** An empty cache of up to twice as many denials. */
    RuleDenials(int maxPerGeneration) {
        this(maxPerGeneration, () -> {});
    }

    /**
     * An empty cache.
     *
     * @param maxPerGeneration how many denials a generation takes; there are two
     * @param whenCached is run whenever a denial is cached
     */
    RuleDenials(int maxPerGeneration, Runnable whenCached) {
        this.maxPerGeneration = maxPerGeneration;
        this.whenCached = whenCached;
        this.releases = new RecentReleases(maxPerGeneration, System.nanoTime());
    }

    /**
     * A denial.
     *
     * @param decision the decision of the rule
     * @param resetMicros the time from the request until the whole limit is available again
     * @param permits how many were requested
     * @param requestedMicros when the request was made, by the clock of this process
     * @param untilMicros until when the denial holds, by the same clock
     * @param decidedMicros when it was decided, by Redis's clock
     * @param check when a request goes to Redis despite the denial
     */
    record Denial(
            RuleDecision decision,
            long resetMicros,
            long permits,
            long requestedMicros,
            long untilMicros,
            long decidedMicros,
            NextCheck check) {

        boolean covers(Rule rule, long requested, long nowMicros) {
            return requested >= permits && nowMicros >= requestedMicros && nowMicros < untilMicros && isOf(rule);
        }

        @SuppressWarnings("ReferenceEquality") // most often it is the same object, and comparing rules is expensive
        boolean isOf(Rule rule) {
            return decision.rule() == rule || decision.rule().equals(rule);
        }

        /** The decision of the rule on a request that is made at that time. */
        EngineRuleDecision at(long nowMicros) {
            long elapsed = nowMicros - requestedMicros;
            return EngineRuleDecision.denied(
                    decision.rule(), decision.remaining(), untilMicros - nowMicros, Math.max(0, resetMicros - elapsed));
        }

        long decidedAtMicros(long nowMicros) {
            return decidedMicros + nowMicros - requestedMicros;
        }
    }

    /** The denial that covers a request, for a rule of one dimension; null when the cache has none. */
    @Nullable
    Denial find(Rule rule, String id, long permits, long nowMicros) {
        return findByKey(rule, id, permits, nowMicros);
    }

    /** The denial that covers a request, for a rule of any number of dimensions; null when the cache has none. */
    @Nullable
    Denial find(Rule rule, List<String> ids, long permits, long nowMicros) {
        return findByKey(rule, key(ids), permits, nowMicros);
    }

    private @Nullable Denial findByKey(Rule rule, Object key, long permits, long nowMicros) {
        // In this order: a release removes the denial before it ends. So a thread that sees its end finds no denial.
        if (!releasing.isEmpty() && releasing.containsKey(key)) {
            return null;
        }
        Denial denial = denial(key);
        return denial != null && denial.covers(rule, permits, nowMicros) ? denial : null;
    }

    private @Nullable Denial denial(Object key) {
        Denial denial = young.get(key);
        return denial == null ? old.get(key) : denial;
    }

    /** A single id is faster to look up than a list of one. */
    private static Object key(List<String> ids) {
        return ids.size() == 1 ? ids.get(0) : ids;
    }

    /** Records the time of a request by a clock that the application passes in; such a clock may go back. */
    void observeTime(long givenMicros) {
        latestMicros.accumulateAndGet(givenMicros, Math::max);
    }

    /** Whether the clock that the application passes in went back: a request after that time may have changed the counts. */
    boolean isBeforeLatest(long givenMicros) {
        return givenMicros < latestMicros.get();
    }

    /** How many denials are cached. */
    int size() {
        return young.size() + old.size();
    }

    boolean isEmpty() {
        return young.isEmpty() && old.isEmpty();
    }

    /**
     * Caches a denial, unless permits were released after the request was sent.
     *
     * @param requestedMicros when the request was sent, by the clock of the engine
     * @param requestedNanos the same by {@link System#nanoTime()}
     * @param decidedMicros when it was decided, by Redis's clock
     */
    void put(
            RuleDecision decision,
            List<String> ids,
            long permits,
            long requestedMicros,
            long requestedNanos,
            long decidedMicros) {
        long resetMicros = micros(decision.resetAfter());
        // The longest time that a decision can state stays the same as time passes.
        if (isLong(ids) || resetMicros >= Bounds.MAX_FILL_MICROS) {
            return;
        }
        rotate(requestedMicros);
        Map<Object, Denial> now = young;
        long retryMicros = micros(decision.retryAfter().orElseThrow());
        Object key = key(ids);
        if (releases.isSince(key, requestedNanos)) {
            return;
        }
        if (now.size() < maxPerGeneration || now.containsKey(key)) {
            whenCached.run();
            Denial denial = new Denial(
                    decision,
                    resetMicros,
                    permits,
                    requestedMicros,
                    requestedMicros + retryMicros,
                    decidedMicros,
                    new NextCheck(requestedMicros + CHECK_MICROS));
            now.put(key, denial);
            // A release at the same time finds this denial, or is found here.
            if (releases.isSince(key, requestedNanos)) {
                now.remove(key, denial);
            }
        }
    }

    /** A call that releases permits of these ids is about to be sent: until it ends, the cache has no denial of them. */
    void beginRelease(List<String> ids) {
        releasing.merge(key(ids), 1, Integer::sum);
    }

    /** The call has ended, successfully or not: drops the denial of these ids, and refuses those whose replies are still to come. */
    void endRelease(List<String> ids, long nowNanos) {
        released(ids, nowNanos);
        releasing.computeIfPresent(key(ids), (same, calls) -> calls == 1 ? null : calls - 1);
    }

    /**
     * Permits of these ids were released, here or by another engine: drops their denial, and refuses those whose replies are still to
     * come.
     */
    void released(List<String> ids, long nowNanos) {
        if (isLong(ids)) {
            return;
        }
        Object key = key(ids);
        releases.of(key, nowNanos);
        drop(key);
    }

    private void drop(Object key) {
        young.remove(key);
        old.remove(key);
    }

    /** The rule would admit this number of permits now: drops a denial of as many or fewer, and one of another rule. */
    void admitted(Rule rule, List<String> ids, long permits) {
        Object key = key(ids);
        Denial denial = denial(key);
        if (denial != null && (denial.permits() <= permits || !denial.isOf(rule))) {
            drop(key);
        }
    }

    /** Drops all denials, as the rule changes. */
    void clear() {
        young.clear();
        old.clear();
    }

    /** Drops all denials, and refuses those whose replies are still to come. */
    void releasedAll(long nowNanos) {
        releases.ofAll(nowNanos);
        clear();
    }

    private static boolean isLong(List<String> ids) {
        for (String id : ids) {
            if (id.length() > BoundedId.MAX_LENGTH) {
                return true;
            }
        }
        return false;
    }

    private void rotate(long nowMicros) {
        if (Math.abs(nowMicros - rotatedMicros) < CHECK_MICROS) {
            return;
        }
        rotating.lock();
        try {
            if (Math.abs(nowMicros - rotatedMicros) >= CHECK_MICROS) {
                old = young;
                young = new ConcurrentHashMap<>();
                rotatedMicros = nowMicros;
            }
        } finally {
            rotating.unlock();
        }
    }

    private static long micros(Duration duration) {
        return TimeUnit.SECONDS.toMicros(duration.getSeconds()) + duration.getNano() / 1000;
    }

    /** When the next request goes to Redis although the cached denial still holds. */
    static final class NextCheck {

        private final AtomicLong atMicros;

        NextCheck(long atMicros) {
            this.atMicros = new AtomicLong(atMicros);
        }

        /** Whether the request of this caller goes to Redis; then no other request does for the next second. */
        boolean isDue(long nowMicros) {
            long due = atMicros.get();
            return nowMicros >= due && atMicros.compareAndSet(due, nowMicros + CHECK_MICROS);
        }
    }
}
