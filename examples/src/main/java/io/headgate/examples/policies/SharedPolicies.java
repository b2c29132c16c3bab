package io.headgate.examples.policies;

import io.headgate.config.redis.RedisPolicyStore;
import io.headgate.config.sources.PolicyReloader;
import io.headgate.limits.Decision;
import io.headgate.limits.LimitEngine;
import io.headgate.redis.RedisSettings;
import io.headgate.redis.limits.RedisLimitEngine;

/** Policies in Redis, which all processes share, and which may change while the program runs. */
public final class SharedPolicies {

    private SharedPolicies() {}

    /** Applies the policies that {@code headgate policy apply} has written, and requests one permit of one of them. */
    public static void main(String[] args) {
        String url = args.length > 0 ? args[0] : "redis://127.0.0.1:6379";
        RedisSettings redis = RedisSettings.of(url);
        try (LimitEngine limits = RedisLimitEngine.connect(redis);
                PolicyReloader policies = PolicyReloader.start(limits, RedisPolicyStore.connect(redis))) {
            Decision decision = policies.registry().limiter("api").tryAcquire("alice");
            System.out.println(decision);
        }
    }
}
