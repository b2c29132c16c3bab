package io.headgate.bench.limits;

import io.headgate.bench.peers.Subject;
import io.headgate.bench.peers.Subject.Gate;
import io.headgate.bench.peers.Subject.Quota;
import io.headgate.bench.run.RedisAccess;
import io.headgate.limits.AsyncLimiter;
import io.headgate.limits.Attributes;
import io.headgate.limits.Limit;
import io.headgate.limits.Policy;
import io.headgate.limits.Rule;
import io.headgate.limits.bans.BanRule;
import io.headgate.limits.hotkeys.HotKeys;
import java.time.Duration;
import java.util.List;
import java.util.function.BiFunction;
import java.util.function.Function;

/** A limit of Headgate, used through the public API. */
record HeadgateSubject(String name, Function<Quota, Limit> limit) implements Subject {

    /** Suffixes of the names of variants: the same limit on another engine, or with leased permits. */
    static final String COALESCED = "-coalesced";

    static final String HOT_KEYS = "-hot-keys";
    static final String LEASED = "-leased";
    static final String BANNING = "-banning";

    /** A policy with one rule per key. Its names are short, like those of the peers in their keys. */
    Policy policy(Quota quota) {
        return Policy.named("p").rule("r", limit.apply(quota), Attributes.KEY).build();
    }

    @Override
    public Gate open(RedisAccess access, Quota quota, List<String> keys) {
        return gate(HeadgateRedis.over(access), quota);
    }

    /** A gate on this engine; closing the gate closes the engine. */
    Gate gate(HeadgateRedis redis, Quota quota) {
        return gate(redis, policy(quota));
    }

    private static Gate gate(HeadgateRedis redis, Policy policy) {
        AsyncLimiter limiter = redis.limiter(policy);
        return redis.gate(key -> HeadgateRedis.allowed(limiter.tryAcquire(key)));
    }

    /** This limit with a suffix of its name, on an engine that combines requests and caches denials. */
    Subject coalesced(Function<RedisAccess, HeadgateRedis> engine) {
        return new Variant(name + COALESCED, (access, quota) -> gate(engine.apply(access), quota));
    }

    /** This limit on an engine with default settings that also counts hot keys. */
    Subject countingHotKeys() {
        return new Variant(
                name + HOT_KEYS,
                (access, quota) ->
                        gate(HeadgateRedis.of(HeadgateRedis.builder(access).hotKeys(HotKeys.create())), quota));
    }

    /** This limit on an engine with default settings, in a policy with leased permits. */
    Subject leased() {
        return new Variant(name + LEASED, (access, quota) -> {
            HeadgateRedis redis = HeadgateRedis.coalescingOver(access);
            Policy policy = Policy.named("p")
                    .rule("r", limit.apply(quota), Attributes.KEY)
                    .leased()
                    .build();
            return gate(redis, policy);
        });
    }

    /** This limit in a rule that bans, on an engine with one call for each decision. */
    Subject banning() {
        return new Variant(name + BANNING, (access, quota) -> {
            Rule rule = Rule.of("r", limit.apply(quota), Attributes.KEY)
                    .banning(BanRule.after(100, Duration.ofMinutes(1)).lasting(Duration.ofHours(1)));
            return gate(HeadgateRedis.over(access), Policy.named("p").rule(rule).build());
        });
    }

    private record Variant(String name, BiFunction<RedisAccess, Quota, Gate> gate) implements Subject {

        @Override
        public Gate open(RedisAccess access, Quota quota, List<String> keys) {
            return gate.apply(access, quota);
        }
    }
}
