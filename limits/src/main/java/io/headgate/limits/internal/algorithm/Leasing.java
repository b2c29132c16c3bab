package io.headgate.limits.internal.algorithm;

import io.headgate.limits.FixedWindow;
import io.headgate.limits.LeakyBucket;
import io.headgate.limits.Limit;
import io.headgate.limits.Rule;
import io.headgate.limits.SlidingCounter;
import io.headgate.limits.SlidingWindow;
import io.headgate.limits.TokenBucket;
import io.headgate.limits.internal.Bounds;
import io.headgate.limits.internal.Micros;
import java.time.Duration;
import java.util.List;

/**
 * Computes the stricter limits under which leases charge permits. Permits of a lease are charged at its start and may be spent until
 * its end. The stricter limit allows for that delay, so the actual limit holds whenever the permits are spent.
 *
 * <ul>
 *   <li>A sliding window is longer by the lease, so permits spent at its end count until they have left the window.
 *   <li>A bucket is smaller by the permits that are refilled during the lease. The permits spent in a period were charged in a period
 *       that is longer by the lease. So they are at most the smaller burst plus the refill of the longer period, which equals the full
 *       burst plus the refill of the period itself.
 *   <li>A fixed or calendar window is unchanged, because a lease ends with the window.
 * </ul>
 */
public final class Leasing {

    /** The shortest lease: its renewal takes a round trip. */
    private static final long MIN_MICROS = 10_000;

    /** The longest lease: for that time, a killed process withholds its unspent permits. */
    private static final long MAX_MICROS = 60_000_000;

    /** The longest default lease. */
    private static final long MAX_USUAL_MICROS = 5_000_000;

    /** The default lease is a fiftieth of a window, and a tenth of the time in which a bucket refills. */
    private static final int USUAL_PARTS_OF_WINDOW = 50;

    private static final int USUAL_PARTS_OF_BURST = 10;

    private static final String TOGETHER = "a sliding window and its lease together are at most 366 days";

    private Leasing() {}

    /**
     * The default lease for these rules: a fiftieth of the shortest window, or a tenth of the shortest time in which a bucket refills,
     * whichever is less; from 10 ms to 5 seconds.
     */
    public static Duration usual(List<Rule> rules) {
        long shortest = MAX_USUAL_MICROS;
        for (Rule rule : rules) {
            shortest = Math.min(shortest, usualMicros(rule.limit()));
        }
        return Micros.toDuration(Math.max(shortest - shortest % 1000, MIN_MICROS));
    }

    /**
     * Checks that each rule can be leased for this time.
     *
     * @throws IllegalArgumentException if a rule can't, or the time is out of its range
     */
    public static void check(String policy, List<Rule> rules, Duration lease) {
        String leased = "lease of policy " + policy;
        if (lease.compareTo(Micros.toDuration(MIN_MICROS)) < 0
                || lease.compareTo(Micros.toDuration(MAX_MICROS)) > 0
                || lease.toNanosPart() % 1_000_000 != 0) {
            throw new IllegalArgumentException(
                    leased + " must be from 10 ms to 1 minute, in whole milliseconds, was " + lease);
        }
        for (Rule rule : rules) {
            if (rule.countsAttempts()) {
                throw new IllegalArgumentException(leased + ": rule " + rule.name()
                        + " counts attempts, but a denied lease is not an attempt; such a policy can't be leased");
            }
            if (rule.ban().isPresent()) {
                throw new IllegalArgumentException(
                        leased + ": rule " + rule.name()
                                + " bans, but an instance that finds no permits to lease is not a denied client; such a policy can't be leased");
            }
            if (rule.limit() instanceof LeakyBucket bucket && bucket.mode() == LeakyBucket.Mode.SHAPER) {
                throw new IllegalArgumentException(leased + ": rule " + rule.name()
                        + " is a leaky bucket that shapes, and delays each request by another time; such a policy can't be"
                        + " leased");
            }
            long longest = longestMicros(rule.limit());
            if (longest < MIN_MICROS) {
                throw new IllegalArgumentException(leased + ": rule " + rule.name() + " (" + rule.limit()
                        + ") can't be leased: a lease is at least 10 ms, and at most as long as a sliding window, and as half of a"
                        + " burst takes to refill, which here is " + Micros.toDuration(longest)
                        + "; " + TOGETHER);
            }
            if (Micros.of(lease) > longest) {
                throw new IllegalArgumentException(leased + " must be at most " + Micros.toDuration(longest)
                        + " because of rule " + rule.name() + " (" + rule.limit()
                        + "): at most as long as a sliding window, and as half of a burst takes to refill; " + TOGETHER
                        + ", was " + lease);
            }
        }
    }

    /** Returns the stricter limit under which the permits of a lease are charged. */
    public static Limit strict(Limit limit, Duration lease) {
        return switch (LimitKind.of(limit)) {
            case FIXED_WINDOW, CALENDAR_WINDOW -> limit;
            case SLIDING_WINDOW -> {
                SlidingWindow window = (SlidingWindow) limit;
                yield new SlidingWindow(window.permits(), window.window().plus(lease));
            }
            case SLIDING_COUNTER -> {
                SlidingCounter counter = (SlidingCounter) limit;
                yield new SlidingCounter(counter.permits(), counter.window().plus(lease));
            }
            case TOKEN_BUCKET -> {
                TokenBucket bucket = (TokenBucket) limit;
                yield new TokenBucket(
                        smaller(bucket.capacity(), LimitKind.rateOf(bucket), lease),
                        bucket.refillPermits(),
                        bucket.refillPeriod());
            }
            case LEAKY_BUCKET -> {
                LeakyBucket bucket = (LeakyBucket) limit;
                yield new LeakyBucket(
                        smaller(bucket.capacity(), LimitKind.rateOf(bucket), lease),
                        bucket.leakPermits(),
                        bucket.leakPeriod(),
                        bucket.mode());
            }
        };
    }

    /**
     * Returns how long a bucket takes to refill the permits, at most 1 us too long. Returns 0 for a window, which does not refill.
     */
    public static long microsToRefill(Limit limit, long permits) {
        if (limit instanceof TokenBucket bucket) {
            return microsToRefill(permits, bucket.refillPermits(), bucket.refillPeriod());
        }
        if (limit instanceof LeakyBucket bucket) {
            return microsToRefill(permits, bucket.leakPermits(), bucket.leakPeriod());
        }
        return 0;
    }

    private static long microsToRefill(long permits, long ofPeriod, Duration period) {
        long periodMicros = Micros.of(period);
        if (permits == 0) {
            return 0;
        }
        // Called for each decision, and reducing a rate to lowest terms would take longer than all else. A product
        // below 9e18 fits in a long.
        return (double) permits * periodMicros < 9e18
                ? permits * periodMicros / ofPeriod + 1
                : RefillRate.of(ofPeriod, periodMicros).microsToRefill(permits, 0);
    }

    private static long smaller(long capacity, RefillRate rate, Duration lease) {
        return capacity - rate.refilledIn(Micros.of(lease)).roundedUp();
    }

    /** The longest lease for a limit: a window must be at least as long as the lease, and a bucket keeps half of its capacity. */
    private static long longestMicros(Limit limit) {
        return switch (LimitKind.of(limit)) {
            case FIXED_WINDOW, CALENDAR_WINDOW -> MAX_MICROS;
            case SLIDING_WINDOW -> longestMicros(((SlidingWindow) limit).window());
            case SLIDING_COUNTER -> longestMicros(((SlidingCounter) limit).window());
            case TOKEN_BUCKET, LEAKY_BUCKET -> halfOfBurst(limit, LimitKind.rateOf(limit));
        };
    }

    /** Less than the time in which half of the bucket refills, by 1 us, so that the stricter bucket has at least half of the capacity. */
    private static long halfOfBurst(Limit limit, RefillRate rate) {
        return Math.max(0, rate.microsToRefill(limit.permits() / 2, 0) - 1);
    }

    private static long longestMicros(Duration window) {
        return Math.min(Micros.of(window), Micros.of(Bounds.MAX_WINDOW.minus(window)));
    }

    private static long usualMicros(Limit limit) {
        return switch (LimitKind.of(limit)) {
            case FIXED_WINDOW -> Micros.of(((FixedWindow) limit).window()) / USUAL_PARTS_OF_WINDOW;
            case CALENDAR_WINDOW -> MAX_USUAL_MICROS;
            case SLIDING_WINDOW -> Micros.of(((SlidingWindow) limit).window()) / USUAL_PARTS_OF_WINDOW;
            case SLIDING_COUNTER -> Micros.of(((SlidingCounter) limit).window()) / USUAL_PARTS_OF_WINDOW;
            case TOKEN_BUCKET, LEAKY_BUCKET ->
                LimitKind.rateOf(limit).microsToRefill(limit.permits(), 0) / USUAL_PARTS_OF_BURST;
        };
    }
}
