package io.headgate.bench;

import io.headgate.limits.AsyncLimiter;
import io.headgate.limits.Attributes;
import io.headgate.limits.Limit;
import io.headgate.limits.Policy;
import io.headgate.limits.TimeSource;
import java.util.List;
import java.util.function.Function;

/** One limit of ours, asked through the public API. */
record HeadgateSubject(String name, Function<Quota, Limit> limit) implements Subject {

    /** A policy of one rule, which counts each key alone. */
    Policy policy(Quota quota) {
        return Policy.of("bench", limit.apply(quota), Attributes.KEY);
    }

    @Override
    public Gate open(String redisUrl, Quota quota, List<String> keys) {
        return gate(HeadgateRedis.connect(redisUrl), quota);
    }

    /** The same, decided by a time that is passed in. */
    Gate open(String redisUrl, Quota quota, TimeSource time) {
        return gate(HeadgateRedis.connect(redisUrl, time), quota);
    }

    private Gate gate(HeadgateRedis redis, Quota quota) {
        AsyncLimiter limiter = redis.limiter(policy(quota));
        return redis.gate(key -> HeadgateRedis.allowed(limiter.tryAcquire(key)));
    }
}
