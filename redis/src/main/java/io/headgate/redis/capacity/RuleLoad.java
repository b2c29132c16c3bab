package io.headgate.redis.capacity;

import io.headgate.limits.CalendarWindow;
import io.headgate.limits.FixedWindow;
import io.headgate.limits.LeakyBucket;
import io.headgate.limits.Limit;
import io.headgate.limits.Rule;
import io.headgate.limits.SlidingWindow;
import io.headgate.limits.internal.algorithm.LimitKind;

/**
 * The load of one rule: the memory of each key, and the commands of each request.
 *
 * @param keyBytes the bytes of a key with a full window
 * @param aliveShare the share of the time for which an id that sends requests has a key
 * @param aliveBytes the mean bytes of a key while it exists
 * @param commandsPerRequest the commands that the script calls for this rule
 */
record RuleLoad(long keyBytes, double aliveShare, double aliveBytes, double commandsPerRequest) {

    /** The bytes of a fixed or calendar window. */
    private static final int WINDOW_STATE = 27;

    /** The bytes of a bucket or of a sliding counter. */
    private static final int STATE = 28;

    /**
     * Computes the load of a rule.
     *
     * @param requestsPerId the requests per second of each id
     * @param admittedShare the share of the requests that all rules of the policy admit
     */
    static RuleLoad of(Rule rule, int keyLength, double requestsPerId, double admittedShare, RedisAllocation memory) {
        double charges = chargedShare(rule, requestsPerId, admittedShare);
        // A denied attempt is charged, and then the count is read again.
        double reads = rule.countsAttempts() ? 2 - admittedShare : 1;
        long key = memory.key(keyLength);
        if (rule.limit() instanceof SlidingWindow sliding) {
            return ofSlidingWindow(rule, sliding, key, requestsPerId, charges, memory);
        }
        long bytes = key + memory.value(stateBytes(rule.limit()));
        double alive = charges == 0
                ? 0
                : KeyLife.of(rule.limit(), requestsPerId * charges).aliveShare(requestsPerId * charges);
        return new RuleLoad(bytes, alive, bytes, reads + charges);
    }

    private static RuleLoad ofSlidingWindow(
            Rule rule, SlidingWindow limit, long key, double requestsPerId, double charges, RedisAllocation memory) {
        // If this rule is the strictest, it decides all requests; otherwise only those that the other rules admit.
        boolean decides = charges >= sustainedShare(limit, requestsPerId);
        double asked = decides ? 1 : charges;
        SlidingWindowLoad load = new SlidingWindowLoad(limit, rule.countsAttempts(), requestsPerId * asked, memory);
        return new RuleLoad(
                key + SlidingWindowLoad.fullBytes(limit, memory),
                load.aliveShare(),
                key + load.bytes(),
                load.commandsPerRequest() * asked + 1 - asked);
    }

    /** The share of the requests of an id that this rule alone would admit, if the requests arrive evenly. */
    static double admittedShare(Rule rule, double requestsPerId) {
        double share = sustainedShare(rule.limit(), requestsPerId);
        boolean startsFromZero = rule.limit() instanceof FixedWindow || rule.limit() instanceof CalendarWindow;
        // A client that keeps sending too many requests is locked out, unless each window starts from zero.
        return rule.countsAttempts() && !startsFromZero && share < 1 ? 0 : share;
    }

    /** The share of the requests of an id that is charged to the rule, if all rules of the policy admit {@code admittedShare}. */
    static double chargedShare(Rule rule, double requestsPerId, double admittedShare) {
        double own = admittedShare(rule, requestsPerId);
        if (!rule.countsAttempts()) {
            return Math.min(own, admittedShare);
        }
        boolean alwaysHasRoom = !(LimitKind.of(rule.limit()) == LimitKind.SLIDING_COUNTER
                || rule.limit() instanceof FixedWindow
                || rule.limit() instanceof CalendarWindow);
        return alwaysHasRoom && rule.limit().permits() > 0 ? 1 : sustainedShare(rule.limit(), requestsPerId);
    }

    private static double sustainedShare(Limit limit, double requestsPerId) {
        return Math.min(1, Sustained.permitsPerSecond(limit) / requestsPerId);
    }

    private static int stateBytes(Limit limit) {
        return limit instanceof FixedWindow || limit instanceof CalendarWindow ? WINDOW_STATE : STATE;
    }

    /** The bytes of a rule in a reply: remaining, retry and reset; for a leaky bucket also the delay. */
    static int replyBytes(Limit limit) {
        return limit instanceof LeakyBucket ? 25 : 18;
    }
}
