package io.headgate.server.policies;

import io.headgate.config.etcd.EtcdPolicyStore;
import io.headgate.config.etcd.EtcdSettings;
import io.headgate.config.redis.RedisPolicyStore;
import io.headgate.config.sources.PolicyReloader;
import io.headgate.config.sources.PolicyStore;
import io.headgate.limits.InMemoryLimitEngine;
import io.headgate.limits.LimitEngine;
import io.headgate.redis.RedisSettings;
import java.util.concurrent.CountDownLatch;

/** An application whose policies are in Redis or etcd. Its argument is the URL. */
final class PolicyProcess {

    private PolicyProcess() {}

    public static void main(String[] arguments) throws InterruptedException {
        try (LimitEngine limits = InMemoryLimitEngine.create();
                PolicyReloader policies = PolicyReloader.start(limits, store(arguments[0]))) {
            System.out.println(policies.status());
            new CountDownLatch(1).await();
        }
    }

    static PolicyStore store(String url) {
        return url.startsWith("http")
                ? EtcdPolicyStore.connect(EtcdSettings.of(url))
                : RedisPolicyStore.connect(RedisSettings.of(url));
    }
}
