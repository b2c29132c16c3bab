package io.headgate.redis.limits.internal.denials;

import io.headgate.limits.Rule;
import io.headgate.limits.RuleDecision;
import io.headgate.limits.internal.BoundedId;
import io.headgate.limits.internal.Bounds;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * The cached denials of one rule, by id. Variants and versions of a policy have the rule with other limits, under the same keys: an id
 * has a denial for each of up to {@value #MAX_LIMITS} limits. A denial states when the same request would be admitted, assuming no other traffic;
 * other traffic can only delay that. A refund, a reset or a changed limit can bring it forward. This engine drops the denial
 * when it makes such a change itself, and when another engine publishes one. A change that is never published is noticed within
 * a second, as one request a second and id goes to Redis despite the cached denial.
 *
 * <p>Eviction is generational: a generation takes up to a bound, the older of two is dropped every second, and a denial that is
 * still in use was cached again before. Safe for use by any number of threads.
 */
final class RuleDenials {

    static final long CHECK_MICROS = TimeUnit.SECONDS.toMicros(1);

    /** The most denials of one id. */
    private static final int MAX_LIMITS = 4;

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
        Denial denial = denial(rule, key);
        return denial != null && denial.covers(permits, nowMicros) ? denial : null;
    }

    private @Nullable Denial denial(Rule rule, Object key) {
        Denial denial = Denial.first(young.get(key), rule);
        return denial == null ? Denial.first(old.get(key), rule) : denial;
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

    /** How many ids have denials, counted once for each generation. */
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
                    new Denial.NextCheck(requestedMicros + CHECK_MICROS),
                    null);
            now.merge(key, denial, RuleDenials::replace);
            // A release at the same time finds this denial, or is found here.
            if (releases.isSince(key, requestedNanos)) {
                filter(now, key, one -> one.check() != denial.check());
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

    /** A denial, before those by other limits; the oldest of too many is dropped. */
    private static Denial replace(Denial before, Denial denial) {
        Denial others = Denial.filter(before, one -> !one.isOf(denial.decision().rule()));
        return denial.before(Denial.limit(others, MAX_LIMITS - 1));
    }

    private static void filter(Map<Object, Denial> generation, Object key, Predicate<Denial> isKept) {
        generation.computeIfPresent(key, (same, all) -> Denial.filter(all, isKept));
    }

    /**
     * The rule would admit this number of permits now: drops its denial of as many or fewer, and those of other rules that the policy
     * does not have now.
     *
     * @param isCurrent whether the policy has a rule, if only by an override
     */
    void admitted(Rule rule, List<String> ids, long permits, Predicate<Rule> isCurrent) {
        Object key = key(ids);
        if (!young.containsKey(key) && !old.containsKey(key)) {
            return;
        }
        Denial denial = denial(rule, key);
        boolean isOutdated = denial != null && denial.permits() <= permits;
        Predicate<Denial> isKept = one ->
                one.isOf(rule) ? !isOutdated : isCurrent.test(one.decision().rule());
        filter(young, key, isKept);
        filter(old, key, isKept);
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
}
