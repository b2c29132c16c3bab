package io.headgate.server.policies;

import io.headgate.config.redis.RedisPolicyStore;
import io.headgate.config.sources.PolicyReloader;
import io.headgate.limits.LimitEngine;
import io.headgate.redis.RedisSettings;
import io.headgate.redis.limits.RedisLimitEngine;
import java.util.concurrent.CountDownLatch;

/** An application whose policies are in Redis. Its argument is the URL. */
final class PolicyProcess {

    private PolicyProcess() {}

    public static void main(String[] arguments) throws InterruptedException {
        RedisSettings redis = RedisSettings.of(arguments[0]);
        try (LimitEngine limits = RedisLimitEngine.connect(redis);
                PolicyReloader policies = PolicyReloader.start(limits, RedisPolicyStore.connect(redis))) {
            System.out.println(policies.status());
            new CountDownLatch(1).await();
        }
    }
}
