package io.headgate.bench.faults;

import io.headgate.limits.Health;
import io.headgate.limits.Limit;
import io.headgate.limits.Limiter;
import io.headgate.redis.limits.RedisLimitEngine;
import io.headgate.testkit.Await;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

/** Instances of an application that use one limit with default settings. */
final class FaultSite implements AutoCloseable {

    static final String POLICY = "faults";
    static final int INSTANCES = 4;
    static final int PERMITS = 200;
    static final Duration WINDOW = Duration.ofMillis(500);

    private static final Duration TIMEOUT = Duration.ofSeconds(60);

    private final List<RedisLimitEngine> engines = new ArrayList<>();
    private final List<Limiter> limiters = new ArrayList<>();

    private FaultSite() {}

    /** Starts instances, and returns when each of them counts all others. */
    static FaultSite open(String url, int instances) {
        FaultSite site = new FaultSite();
        try {
            for (int i = 0; i < instances; i++) {
                RedisLimitEngine engine = RedisLimitEngine.connect(url);
                site.engines.add(engine);
                site.limiters.add(engine.limiter(POLICY, Limit.slidingWindow(PERMITS, WINDOW)));
            }
            Await.until("each instance to count all others", TIMEOUT, () -> site.engines.stream()
                    .allMatch(engine -> engine.instances() == instances));
            return site;
        } catch (RuntimeException | AssertionError e) {
            site.close();
            throw e;
        }
    }

    RedisLimitEngine engine(int instance) {
        return engines.get(instance);
    }

    Limiter limiter(int instance) {
        return limiters.get(instance);
    }

    boolean isHealthy() {
        return engines.stream().allMatch(engine -> engine.health() == Health.HEALTHY);
    }

    @Override
    public void close() {
        engines.forEach(RedisLimitEngine::close);
    }
}
