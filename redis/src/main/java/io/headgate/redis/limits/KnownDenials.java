package io.headgate.redis.limits;

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
 * Denials by one rule that hold for a while, so that the same need not be asked again. A denial tells when the same request
 * would be admitted if nothing else were; whatever else is admitted meanwhile can only make that later. What can make it
 * sooner, a refund, a reset, another limit, is either known here, or told by who does it, or found out by the one request a
 * second and ids that is sent nonetheless.
 *
 * <p>They are kept in two generations, of which the older one goes every second. One that is still in use was renewed before.
 */
final class KnownDenials {

    private static final long CHECK_MICROS = TimeUnit.SECONDS.toMicros(1);

    private final int most;
    private final ReentrantLock turning = new ReentrantLock();
    private volatile Map<Object, Denial> young = new ConcurrentHashMap<>();
    private volatile Map<Object, Denial> old = new ConcurrentHashMap<>();
    private volatile long turnedMicros;
    private final AtomicLong latestMicros = new AtomicLong(Long.MIN_VALUE);

    /** Of which ids something is being taken back, and how many calls are at it: until these end, nothing is known. */
    private final Map<Object, Integer> loosened = new ConcurrentHashMap<>();

    /** Releases whose outdated denials may still be on their way. */
    private final RecentReleases releases;

    private final Runnable whenKnown;

    /** None yet, and never more than twice so many. */
    KnownDenials(int most) {
        this(most, () -> {});
    }

    /**
     * The same.
     *
     * @param whenKnown is run whenever there is one more
     */
    KnownDenials(int most, Runnable whenKnown) {
        this.most = most;
        this.whenKnown = whenKnown;
        this.releases = new RecentReleases(most, System.nanoTime());
    }

    /**
     * A denial.
     *
     * @param said what the rule said
     * @param resetMicros how long it said until the whole limit is available again
     * @param permits how many were asked for
     * @param askedMicros when, by the clock of this process
     * @param untilMicros until when it holds, by the same clock
     * @param saidMicros when it was decided, by Redis's clock
     * @param check when it is to be asked again nonetheless
     */
    record Denial(
            RuleDecision said,
            long resetMicros,
            long permits,
            long askedMicros,
            long untilMicros,
            long saidMicros,
            NextCheck check) {

        boolean covers(Rule rule, long asked, long nowMicros) {
            return asked >= permits && nowMicros >= askedMicros && nowMicros < untilMicros && isOf(rule);
        }

        @SuppressWarnings("ReferenceEquality") // most often it is the same object, and a rule has a lot to compare
        boolean isOf(Rule rule) {
            return said.rule() == rule || said.rule().equals(rule);
        }

        /** The same, told at that time. */
        RuleDecision at(long nowMicros) {
            long passed = nowMicros - askedMicros;
            return RuleDecision.denied(
                    said.rule(), said.remaining(), untilMicros - nowMicros, Math.max(0, resetMicros - passed));
        }

        long decidedAtMicros(long nowMicros) {
            return saidMicros + nowMicros - askedMicros;
        }
    }

    /** The denial of a request by the only id that the rule counts by, if there is one to be had without asking. */
    @Nullable
    Denial of(Rule rule, String id, long permits, long nowMicros) {
        return ofKey(rule, id, permits, nowMicros);
    }

    /** The same by any number of ids. */
    @Nullable
    Denial of(Rule rule, List<String> ids, long permits, long nowMicros) {
        return ofKey(rule, key(ids), permits, nowMicros);
    }

    private @Nullable Denial ofKey(Rule rule, Object key, long permits, long nowMicros) {
        // In this order: a release removes the denial before it ends. So a thread that sees its end finds no denial.
        if (!loosened.isEmpty() && loosened.containsKey(key)) {
            return null;
        }
        Denial denial = denial(key);
        return denial != null && denial.covers(rule, permits, nowMicros) ? denial : null;
    }

    private @Nullable Denial denial(Object key) {
        Denial denial = young.get(key);
        return denial == null ? old.get(key) : denial;
    }

    /** An id alone is quicker to find than a list of one. */
    private static Object key(List<String> ids) {
        return ids.size() == 1 ? ids.get(0) : ids;
    }

    /** Learns of a time that is given, as in tests, which may run back; that of a process does not. */
    void timeIs(long givenMicros) {
        latestMicros.accumulateAndGet(givenMicros, Math::max);
    }

    /** Whether a time that is given has run back: what was asked later may have changed everything. */
    boolean hasRunBackTo(long givenMicros) {
        return givenMicros < latestMicros.get();
    }

    /** How many are kept. */
    int size() {
        return young.size() + old.size();
    }

    boolean isEmpty() {
        return young.isEmpty() && old.isEmpty();
    }

    /**
     * Caches a denial, unless permits were released after the request was sent.
     *
     * @param askedMicros when the request was sent, by the clock of the engine
     * @param askedNanos the same by {@link System#nanoTime()}
     * @param saidMicros when it was decided, by Redis's clock
     */
    void add(RuleDecision said, List<String> ids, long permits, long askedMicros, long askedNanos, long saidMicros) {
        long resetMicros = micros(said.resetAfter());
        // The longest time that is told does not go on.
        if (isLong(ids) || resetMicros >= Bounds.MAX_FILL_MICROS) {
            return;
        }
        turn(askedMicros);
        Map<Object, Denial> now = young;
        long retryMicros = micros(said.retryAfter().orElseThrow());
        Object key = key(ids);
        if (releases.isSince(key, askedNanos)) {
            return;
        }
        if (now.size() < most || now.containsKey(key)) {
            whenKnown.run();
            Denial denial = new Denial(
                    said,
                    resetMicros,
                    permits,
                    askedMicros,
                    askedMicros + retryMicros,
                    saidMicros,
                    new NextCheck(askedMicros + CHECK_MICROS));
            now.put(key, denial);
            // A release at the same time finds this denial, or is found here.
            if (releases.isSince(key, askedNanos)) {
                now.remove(key, denial);
            }
        }
    }

    /** Something is to be taken back of these ids: what is asked after that must not be answered by what was known before. */
    void loosen(List<String> ids) {
        loosened.merge(key(ids), 1, Integer::sum);
    }

    /** That has come to an end, of whatever kind: forgets what is known, and what is still on its way. */
    void loosened(List<String> ids, long nowNanos) {
        released(ids, nowNanos);
        loosened.computeIfPresent(key(ids), (same, calls) -> calls == 1 ? null : calls - 1);
    }

    /** Permits of these ids were released, here or by another engine: forgets what is known, and what is still on its way. */
    void released(List<String> ids, long nowNanos) {
        if (isLong(ids)) {
            return;
        }
        Object key = key(ids);
        releases.of(key, nowNanos);
        forget(key);
    }

    private void forget(Object key) {
        young.remove(key);
        old.remove(key);
    }

    /** Forgets what says that fewer or as many permits are denied, as the rule would admit so many now, or that is of another rule. */
    void admits(Rule rule, List<String> ids, long permits) {
        Object key = key(ids);
        Denial denial = denial(key);
        if (denial != null && (denial.permits() <= permits || !denial.isOf(rule))) {
            forget(key);
        }
    }

    /** Forgets everything, as the rule changes. */
    void forgetAll() {
        young.clear();
        old.clear();
    }

    /** Forgets everything, and what is still on its way. */
    void forgetAll(long nowNanos) {
        releases.ofAll(nowNanos);
        forgetAll();
    }

    private static boolean isLong(List<String> ids) {
        for (String id : ids) {
            if (id.length() > BoundedId.MAX_LENGTH) {
                return true;
            }
        }
        return false;
    }

    private void turn(long nowMicros) {
        if (Math.abs(nowMicros - turnedMicros) < CHECK_MICROS) {
            return;
        }
        turning.lock();
        try {
            if (Math.abs(nowMicros - turnedMicros) >= CHECK_MICROS) {
                old = young;
                young = new ConcurrentHashMap<>();
                turnedMicros = nowMicros;
            }
        } finally {
            turning.unlock();
        }
    }

    private static long micros(Duration duration) {
        return TimeUnit.SECONDS.toMicros(duration.getSeconds()) + duration.getNano() / 1000;
    }

    /** When somebody is to ask again, though the denial still holds as far as is known. */
    static final class NextCheck {

        private final AtomicLong atMicros;

        NextCheck(long atMicros) {
            this.atMicros = new AtomicLong(atMicros);
        }

        /** Whether it is the caller who is to ask; then nobody else is, for as long again. */
        boolean isDue(long nowMicros) {
            long due = atMicros.get();
            return nowMicros >= due && atMicros.compareAndSet(due, nowMicros + CHECK_MICROS);
        }
    }
}
