package io.headgate.bench.limits;

import io.headgate.bench.peers.Subject;
import io.headgate.bench.peers.Subject.Gate;
import io.headgate.bench.peers.Subject.Quota;
import io.headgate.bench.run.RedisAccess;
import io.headgate.limits.AsyncLimiter;
import io.headgate.limits.Attributes;
import io.headgate.limits.Limit;
import io.headgate.limits.Policy;
import java.util.List;
import java.util.function.Function;

/** One limit of ours, asked through the public API. */
record HeadgateSubject(String name, Function<Quota, Limit> limit) implements Subject {

    /** A policy of one rule, which counts each key alone. Its names are short, as are the peers' in their keys. */
    Policy policy(Quota quota) {
        return Policy.named("p").rule("r", limit.apply(quota), Attributes.KEY).build();
    }

    @Override
    public Gate open(RedisAccess access, Quota quota, List<String> keys) {
        return gate(HeadgateRedis.over(access), quota);
    }

    /** The same over an engine that is made for it. */
    Gate gate(HeadgateRedis redis, Quota quota) {
        AsyncLimiter limiter = redis.limiter(policy(quota));
        return redis.gate(key -> HeadgateRedis.allowed(limiter.tryAcquire(key)));
    }
}
