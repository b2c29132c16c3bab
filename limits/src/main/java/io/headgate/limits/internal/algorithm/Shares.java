package io.headgate.limits.internal.algorithm;

import io.headgate.limits.CalendarWindow;
import io.headgate.limits.FixedWindow;
import io.headgate.limits.InFlightPolicy;
import io.headgate.limits.InFlightRule;
import io.headgate.limits.LeakyBucket;
import io.headgate.limits.Limit;
import io.headgate.limits.Policy;
import io.headgate.limits.Rule;
import io.headgate.limits.SlidingCounter;
import io.headgate.limits.SlidingWindow;
import io.headgate.limits.TokenBucket;
import io.headgate.limits.internal.Bounds;
import io.headgate.limits.internal.Micros;
import java.time.Duration;
import java.util.List;

/**
 * Computes the share of one of several instances in a limit, for instances that decide independently: the permits, and for a bucket the
 * rate, divided by the number of instances. Shares are rounded down, but to at least one permit unless the limit is 0.
 */
public final class Shares {

    private Shares() {}

    /** Returns the policy with the share of each limit, without its lease, fallback and overrides. */
    public static Policy of(Policy policy, int instances) {
        Policy.Builder share = Policy.named(policy.name()).colocate(policy.colocation());
        for (Rule rule : policy.rules()) {
            Rule counted = new Rule(rule.name(), of(rule.limit(), instances), rule.dimensions());
            Rule attempted = rule.countsAttempts() ? counted.countingAttempts() : counted;
            share.rule(rule.shadow() ? attempted.inShadow() : attempted);
        }
        return share.build();
    }

    /** Returns the in-flight policy with the share of each limit. */
    public static InFlightPolicy of(InFlightPolicy policy, int instances) {
        List<InFlightRule> rules = policy.rules().stream()
                .map(rule -> new InFlightRule(rule.name(), part(rule.permits(), instances), rule.dimensions()))
                .toList();
        return new InFlightPolicy(policy.name(), rules, policy.lease(), policy.atMost(), policy.fallback());
    }

    static Limit of(Limit limit, int instances) {
        long permits = part(limit.permits(), instances);
        return switch (LimitKind.of(limit)) {
            case FIXED_WINDOW -> {
                FixedWindow window = (FixedWindow) limit;
                yield new FixedWindow(permits, window.window(), window.alignment());
            }
            case CALENDAR_WINDOW -> {
                CalendarWindow window = (CalendarWindow) limit;
                yield new CalendarWindow(permits, window.unit(), window.zone());
            }
            case SLIDING_WINDOW -> new SlidingWindow(permits, ((SlidingWindow) limit).window());
            case SLIDING_COUNTER -> new SlidingCounter(permits, ((SlidingCounter) limit).window());
            case TOKEN_BUCKET -> {
                TokenBucket bucket = (TokenBucket) limit;
                long rate = rate(bucket.refillPermits(), bucket.refillPeriod(), instances);
                Duration period = period(bucket.refillPeriod(), instances);
                yield new TokenBucket(filled(permits, rate, period), rate, period);
            }
            case LEAKY_BUCKET -> {
                LeakyBucket bucket = (LeakyBucket) limit;
                long rate = rate(bucket.leakPermits(), bucket.leakPeriod(), instances);
                Duration period = period(bucket.leakPeriod(), instances);
                yield new LeakyBucket(filled(permits, rate, period), rate, period, bucket.mode());
            }
        };
    }

    private static long part(long permits, int instances) {
        return Math.max(Math.min(1, permits), permits / instances);
    }

    /** Bounds a capacity to what the rate refills within the longest allowed time. A rate that was rounded down may take longer. */
    private static long filled(long permits, long rate, Duration period) {
        double mostFilled = (double) Bounds.MAX_FILL_MICROS / Micros.of(period) * rate;
        // A little less, because a double is not exact.
        return permits < mostFilled ? permits : (long) Math.floor(mostFilled * 0.999);
    }

    /** Returns the period times the number of instances, so that the share of the rate is exact; or the period, if that is too long. */
    private static Duration period(Duration period, int instances) {
        Duration longer = period.multipliedBy(instances);
        return longer.compareTo(Bounds.MAX_WINDOW) <= 0 ? longer : period;
    }

    private static long rate(long permits, Duration period, int instances) {
        return period(period, instances).equals(period) ? part(permits, instances) : permits;
    }
}
