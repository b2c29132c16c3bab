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
import org.jspecify.annotations.Nullable;

/**
 * The cached denials of one rule, by id and limit: overrides and versions of a policy decide an id under different limits, which share its
 * count. A denial states when the same request would be admitted, assuming no other traffic; other traffic can only delay that. A refund, a
 * reset or a changed limit can bring it forward. This engine drops the denial when it makes such a change itself, and when another engine
 * publishes one. A change that is never published is noticed within a second, as one request per second, id and limit is sent to Redis
 * despite the cached denial.
 *
 * <p>Eviction is generational. There are two generations of bounded size. A new denial drops the older one if the last drop was a second or
 * more ago. A denial that is still in use has been cached again by then, since a request a second goes to Redis. Safe for use by any number
 * of threads.
 */
final class RuleDenials {

    private final int maxPerGeneration;
    private final ReentrantLock rotating = new ReentrantLock();
    private volatile DenialGeneration young;
    private volatile DenialGeneration old;
    private volatile long rotatedMicros;
    private final AtomicLong latestMicros = new AtomicLong(Long.MIN_VALUE);

    /** How many calls in progress release permits of each id. Until they end, no denial of the id is used. */
    private final Map<Object, Integer> releasing = new ConcurrentHashMap<>();

    /** Releases that may be followed by replies with outdated denials. */
    private final RecentReleases releases;

    private final Runnable whenCached;

    /** Creates an empty cache that does not report cached denials. */
    RuleDenials(int maxPerGeneration) {
        this(maxPerGeneration, () -> {});
    }

    /**
     * Creates an empty cache.
     *
     * @param maxPerGeneration the maximum number of denials in each of the two generations
     * @param whenCached runs whenever a denial is cached
     */
    RuleDenials(int maxPerGeneration, Runnable whenCached) {
        this.maxPerGeneration = maxPerGeneration;
        this.young = new DenialGeneration(maxPerGeneration);
        this.old = new DenialGeneration(maxPerGeneration);
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
        // In this order: a release removes the denial before it ends. So a thread that sees the end finds no denial.
        if (!releasing.isEmpty() && releasing.containsKey(key)) {
            return null;
        }
        // In this order: a rotation moves denials from young to old.
        Denial denial = young.get(key, rule);
        if (denial == null) {
            denial = old.get(key, rule);
        }
        return denial != null && denial.covers(permits, nowMicros) ? denial : null;
    }

    /** The key of these ids in the maps: a single id itself, as it is faster to look up than a list. */
    private static Object key(List<String> ids) {
        return ids.size() == 1 ? ids.get(0) : ids;
    }

    /** Records the time of a request by the application's clock, which may go back. */
    void observeTime(long givenMicros) {
        latestMicros.accumulateAndGet(givenMicros, Math::max);
    }

    /** Whether the application's clock went back: a request at a later time may already have changed the counts. */
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
     * Caches a denial, unless permits were released after the request was sent. Denials of long ids, denials whose reset time is capped,
     * and those for which the generation has no room are not cached either.
     *
     * @param requestedMicros when the request was made, by the clock of this process or by that of the application
     * @param requestedNanos when the request was made, by {@link System#nanoTime()}
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
        // A reset time at the maximum is capped, so it can't be reduced as time passes.
        boolean isCapped =
                resetMicros >= Bounds.MAX_FILL_MICROS && decision.bannedFor().isEmpty();
        if (hasLongId(ids) || isCapped) {
            return;
        }
        rotate(requestedMicros);
        DenialGeneration now = young;
        long retryMicros = micros(decision.retryAfter().orElseThrow());
        Object key = key(ids);
        if (releases.isReleasedSince(key, requestedNanos)) {
            return;
        }
        if (!now.hasRoomFor(key)) {
            return;
        }
        whenCached.run();
        now.put(
                key,
                new Denial(
                        decision,
                        resetMicros,
                        permits,
                        requestedMicros,
                        requestedMicros + retryMicros,
                        decidedMicros,
                        new Denial.NextCheck(requestedMicros + Denial.CHECK_MICROS),
                        null));
        // A concurrent release either removes this denial, or is seen here. Another thread may have linked it to one
        // under another limit
        // meanwhile, so all of the key are dropped.
        if (releases.isReleasedSince(key, requestedNanos)) {
            now.drop(key);
        }
    }

    /** Hides the denials of these ids until {@link #endRelease}: a call that releases permits of them is about to be sent. */
    void beginRelease(List<String> ids) {
        releasing.merge(key(ids), 1, Integer::sum);
    }

    /** Drops the denials of these ids after a call has ended, successfully or not, as {@link #released} does. */
    void endRelease(List<String> ids, long nowNanos) {
        released(ids, nowNanos);
        releasing.computeIfPresent(key(ids), (same, calls) -> calls == 1 ? null : calls - 1);
    }

    /**
     * Drops the denials of these ids, because permits of them were released here or by another engine. Denials of requests that were sent
     * before are not cached.
     */
    void released(List<String> ids, long nowNanos) {
        if (hasLongId(ids)) {
            return;
        }
        Object key = key(ids);
        releases.add(key, nowNanos);
        drop(key);
    }

    private void drop(Object key) {
        young.drop(key);
        old.drop(key);
    }

    /**
     * Drops the denials of these ids that may be wrong, because Redis would admit this many permits under the rule now: of as many permits
     * or fewer under the same limit, and those under other limits for which {@link Denial#withoutEnded} finds that.
     */
    void admitted(Rule rule, List<String> ids, long permits) {
        Object key = key(ids);
        // In this order: a rotation moves denials from young to old.
        young.admitted(key, rule, permits);
        old.admitted(key, rule, permits);
    }

    /** Drops the denials of these ids, because Redis has denied a request without a ban, or admitted it. */
    void notBanned(List<String> ids) {
        drop(key(ids));
    }

    /** Drops all denials, as the rule changes. */
    void clear() {
        young.clear();
        old.clear();
    }

    /** Drops all denials, and does not cache denials of requests that were sent before. */
    void releasedAll(long nowNanos) {
        releases.addForAllKeys(nowNanos);
        clear();
    }

    private static boolean hasLongId(List<String> ids) {
        for (String id : ids) {
            if (id.length() > BoundedId.MAX_LENGTH) {
                return true;
            }
        }
        return false;
    }

    private void rotate(long nowMicros) {
        if (Math.abs(nowMicros - rotatedMicros) < Denial.CHECK_MICROS) {
            return;
        }
        rotating.lock();
        try {
            if (Math.abs(nowMicros - rotatedMicros) >= Denial.CHECK_MICROS) {
                old = young;
                young = new DenialGeneration(maxPerGeneration);
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
