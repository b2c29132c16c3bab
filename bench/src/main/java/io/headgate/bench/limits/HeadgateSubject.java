package io.headgate.bench.limits;

import io.headgate.bench.peers.Subject;
import io.headgate.bench.peers.Subject.Gate;
import io.headgate.bench.peers.Subject.Quota;
import io.headgate.bench.run.RedisAccess;
import io.headgate.limits.AsyncLimiter;
import io.headgate.limits.Attributes;
import io.headgate.limits.Limit;
import io.headgate.limits.Policy;
import io.headgate.limits.hotkeys.HotKeys;
import io.headgate.redis.limits.RedisLimitEngine;
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

    /** One limit of ours on an engine that joins requests in calls, and answers denials that are known. */
    record CoalescedSubject(HeadgateSubject limit, Function<RedisAccess, HeadgateRedis> engine) implements Subject {

        /** What follows the name of the limit. */
        static final String SUFFIX = "-coalesced";

        @Override
        public String name() {
            return limit.name() + SUFFIX;
        }

        @Override
        public Gate open(RedisAccess access, Quota quota, List<String> keys) {
            return limit.gate(engine.apply(access), quota);
        }
    }

    /** One limit of ours on an engine as it comes that also counts which keys are hot. */
    record CountingSubject(HeadgateSubject limit) implements Subject {

        /** What follows the name of the limit. */
        static final String SUFFIX = "-hot-keys";

        @Override
        public String name() {
            return limit.name() + SUFFIX;
        }

        @Override
        public Gate open(RedisAccess access, Quota quota, List<String> keys) {
            RedisLimitEngine.Builder builder = HeadgateRedis.builder(access).hotKeys(HotKeys.create());
            return limit.gate(HeadgateRedis.of(builder), quota);
        }
    }

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
}
