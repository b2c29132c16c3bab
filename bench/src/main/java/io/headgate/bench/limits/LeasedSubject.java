package io.headgate.bench.limits;

import io.headgate.bench.peers.Subject;
import io.headgate.bench.peers.Subject.Gate;
import io.headgate.bench.peers.Subject.Quota;
import io.headgate.bench.run.RedisAccess;
import io.headgate.limits.AsyncLimiter;
import io.headgate.limits.Attributes;
import io.headgate.limits.Policy;
import java.util.List;

/** One limit of ours on an engine as it comes, under a policy that is leased. */
record LeasedSubject(HeadgateSubject limit) implements Subject {

    /** What follows the name of the limit. */
    static final String SUFFIX = "-leased";

    @Override
    public String name() {
        return limit.name() + SUFFIX;
    }

    @Override
    public Gate open(RedisAccess access, Quota quota, List<String> keys) {
        HeadgateRedis redis = HeadgateRedis.coalescingOver(access);
        AsyncLimiter limiter = redis.limiter(Policy.named("p")
                .rule("r", limit.limit().apply(quota), Attributes.KEY)
                .leased()
                .build());
        return redis.gate(key -> HeadgateRedis.allowed(limiter.tryAcquire(key)));
    }
}
