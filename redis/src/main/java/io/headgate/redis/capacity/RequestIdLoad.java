package io.headgate.redis.capacity;

import io.headgate.limits.Policy;
import io.headgate.redis.internal.script.RespSize;
import java.time.Duration;

/**
 * The requests with a request id, and what they need in Redis.
 *
 * @param share their share of all requests
 * @param length the length of an id as part of a key
 * @param horizon how long decisions are kept
 */
record RequestIdLoad(double share, int length, Duration horizon) {

    static final RequestIdLoad NONE = new RequestIdLoad(0, 1, Duration.ZERO);

    /** The bytes of the fingerprint of a request, with which its stored reply begins. */
    private static final int FINGERPRINT = 16;

    /** The bytes of the time in a reply. */
    private static final int TIME = 7;

    /**
     * Computes what the requests of one policy need.
     *
     * @param stem the start of the keys of request ids
     * @param perSecond the requests per second, with or without an id
     * @param charged the share of the requests that charge a rule; only their decisions are kept
     */
    RequestIdCapacity of(Policy policy, String stem, double perSecond, double charged, RedisAllocation memory) {
        double withId = perSecond * share;
        int rules = policy.rules().size();
        int keyLength = stem.length() + length;
        int reply = FINGERPRINT
                + TIME
                + policy.rules().stream()
                        .mapToInt(rule -> RuleLoad.replyBytes(rule.limit()))
                        .sum();
        double keys = withId * charged * horizon.toMillis() / 1e3;
        int in = RespSize.evalsha(rules + 1, 4)
                - RespSize.evalsha(rules, 1)
                + RespSize.bulk(keyLength)
                + RespSize.bulk(1) // the permits
                + RespSize.bulk(FINGERPRINT)
                + RespSize.bulk(Long.toString(horizon.toMillis()).length());
        return new RequestIdCapacity(
                policy.name(),
                keys,
                keys * (memory.key(keyLength) + memory.value(reply)),
                withId * (1 + charged),
                withId * in,
                withId * (RespSize.bulk(reply) - RespSize.bulk(reply - FINGERPRINT)));
    }
}
