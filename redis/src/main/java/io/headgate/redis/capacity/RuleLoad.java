package io.headgate.redis.capacity;

import io.headgate.limits.CalendarWindow;
import io.headgate.limits.FixedWindow;
import io.headgate.limits.LeakyBucket;
import io.headgate.limits.Limit;
import io.headgate.limits.Rule;
import io.headgate.limits.SlidingWindow;
import io.headgate.limits.internal.algorithm.LimitKind;

/**
 * The load of one rule, for each of its keys and each request.
 *
 * @param keyBytes the bytes of a full key
 * @param aliveShare the share of the time for which an id that sends requests has a key
 * @param aliveBytes the mean bytes of such a key
 * @param callsPerRequest the commands that the script calls for this rule
 */
record RuleLoad(long keyBytes, double aliveShare, double aliveBytes, double callsPerRequest) {

    /** The bytes of a count: of a window, and of a bucket or a sliding counter. */
    private static final int WINDOW_STATE = 27;

    private static final int STATE = 28;

    /**
     * Computes the load of a rule.
     *
     * @param asksPerSecond the requests of each id
     * @param admittedShare the share of its requests that all rules of the policy admit
     */
    static RuleLoad of(Rule rule, int keyLength, double asksPerSecond, double admittedShare, RedisAllocation memory) {
        double charges = chargedShare(rule, asksPerSecond, admittedShare);
        // A denied attempt is charged, and then decided again.
        double looks = rule.countsAttempts() ? 2 - admittedShare : 1;
        long key = memory.key(keyLength);
        if (rule.limit() instanceof SlidingWindow sliding) {
            return ofSlidingWindow(rule, sliding, key, asksPerSecond, charges, memory);
        }
        long bytes = key + memory.value(stateBytes(rule.limit()));
        double alive = charges == 0
                ? 0
                : KeyLife.of(rule.limit(), asksPerSecond * charges).aliveShare(asksPerSecond * charges);
        return new RuleLoad(bytes, alive, bytes, looks + charges);
    }

    private static RuleLoad ofSlidingWindow(
            Rule rule, SlidingWindow limit, long key, double asksPerSecond, double charges, RedisAllocation memory) {
        // If this rule denies most, it decides all requests; else those that the other rules admit.
        boolean decides = charges >= sustainedShare(limit, asksPerSecond);
        double asked = decides ? 1 : charges;
        SlidingWindowLoad load = new SlidingWindowLoad(limit, rule.countsAttempts(), asksPerSecond * asked, memory);
        return new RuleLoad(
                key + SlidingWindowLoad.fullBytes(limit, memory),
                load.aliveShare(),
                key + load.bytes(),
                load.callsPerRequest() * asked + 1 - asked);
    }

    /** The share of the requests of an id that the rule alone admits, if they arrive evenly. */
    static double admittedShare(Rule rule, double asksPerSecond) {
        double share = sustainedShare(rule.limit(), asksPerSecond);
        boolean startsFromZero = rule.limit() instanceof FixedWindow || rule.limit() instanceof CalendarWindow;
        // A client that keeps sending too many requests is locked out, unless each window starts from zero.
        return rule.countsAttempts() && !startsFromZero && share < 1 ? 0 : share;
    }

    /** The share of the requests of an id that is charged to the rule, if the policy admits that share. */
    static double chargedShare(Rule rule, double asksPerSecond, double admittedShare) {
        double own = admittedShare(rule, asksPerSecond);
        if (!rule.countsAttempts()) {
            return Math.min(own, admittedShare);
        }
        boolean alwaysHasRoom = !(LimitKind.of(rule.limit()) == LimitKind.SLIDING_COUNTER
                || rule.limit() instanceof FixedWindow
                || rule.limit() instanceof CalendarWindow);
        return alwaysHasRoom && rule.limit().permits() > 0 ? 1 : sustainedShare(rule.limit(), asksPerSecond);
    }

    private static double sustainedShare(Limit limit, double asksPerSecond) {
        return Math.min(1, Sustained.permitsPerSecond(limit) / asksPerSecond);
    }

    private static int stateBytes(Limit limit) {
        return limit instanceof FixedWindow || limit instanceof CalendarWindow ? WINDOW_STATE : STATE;
    }

    /** The bytes of a rule in a reply: remaining, wait and reset; for a leaky bucket the delay as well. */
    static int replyBytes(Limit limit) {
        return limit instanceof LeakyBucket ? 25 : 18;
    }
}
