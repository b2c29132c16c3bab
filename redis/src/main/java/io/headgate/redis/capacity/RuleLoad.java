package io.headgate.redis.capacity;

import io.headgate.limits.CalendarWindow;
import io.headgate.limits.FixedWindow;
import io.headgate.limits.LeakyBucket;
import io.headgate.limits.Limit;
import io.headgate.limits.Rule;
import io.headgate.limits.SlidingWindow;
import io.headgate.limits.internal.algorithm.LimitKind;

/**
 * What one rule takes: of each of its keys, and of each request.
 *
 * @param keyBytes of a full key in Redis
 * @param aliveShare of the time for which an id that asks has a key
 * @param aliveBytes of such a key, on average
 * @param callsPerRequest commands that the script calls for this rule
 */
record RuleLoad(long keyBytes, double aliveShare, double aliveBytes, double callsPerRequest) {

    /** The bytes of a count: of a window, and of a bucket or a sliding counter. */
    private static final int WINDOW_STATE = 27;

    private static final int STATE = 28;

    /**
     * The load of a rule.
     *
     * @param asksPerSecond of each id
     * @param admittedShare of its requests, by all rules of the policy
     */
    static RuleLoad of(Rule rule, int keyLength, double asksPerSecond, double admittedShare, RedisAllocation memory) {
        double charges = chargedShare(rule, asksPerSecond, admittedShare);
        // An attempt that is denied is looked at again after it was charged.
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
        // Where this rule denies most, it looks at all requests; else at those that the others leave it.
        boolean decides = charges >= sustainedShare(limit, asksPerSecond);
        double asked = decides ? 1 : charges;
        SlidingWindowLoad load = new SlidingWindowLoad(limit, rule.countsAttempts(), asksPerSecond * asked, memory);
        return new RuleLoad(
                key + SlidingWindowLoad.fullBytes(limit, memory),
                load.aliveShare(),
                key + load.bytes(),
                load.callsPerRequest() * asked + 1 - asked);
    }

    /** Which share of what an id asks the rule alone admits, where it comes evenly. */
    static double admittedShare(Rule rule, double asksPerSecond) {
        double share = sustainedShare(rule.limit(), asksPerSecond);
        boolean startsAnew = rule.limit() instanceof FixedWindow || rule.limit() instanceof CalendarWindow;
        // Whoever keeps on asking for too much is locked out, unless all begins anew with the next window.
        return rule.countsAttempts() && !startsAnew && share < 1 ? 0 : share;
    }

    /** Which share of what an id asks is charged to the rule, where the policy admits that share. */
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

    /** What a rule says in a reply: remaining, the wait and the reset; a leaky bucket also the delay. */
    static int replyBytes(Limit limit) {
        return limit instanceof LeakyBucket ? 25 : 18;
    }
}
