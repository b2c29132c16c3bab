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
final class LimitInstances implements AutoCloseable {

    static final String POLICY = "faults";
    static final int INSTANCES = 4;
    static final int PERMITS = 200;
    static final Duration WINDOW = Duration.ofMillis(500);

    private static final Duration TIMEOUT = Duration.ofSeconds(60);

    private final List<RedisLimitEngine> engines = new ArrayList<>();
    private final List<Limiter> limiters = new ArrayList<>();

    private LimitInstances() {}

    /** Starts instances, and returns when each of them counts all others. */
    static LimitInstances open(String url, int instances) {
        LimitInstances started = new LimitInstances();
        try {
            for (int i = 0; i < instances; i++) {
                RedisLimitEngine engine = RedisLimitEngine.connect(url);
                started.engines.add(engine);
                started.limiters.add(engine.limiter(POLICY, Limit.slidingWindow(PERMITS, WINDOW)));
            }
            Await.until("each instance to count all others", TIMEOUT, () -> started.engines.stream()
                    .allMatch(engine -> engine.instances() == instances));
            return started;
        } catch (RuntimeException | AssertionError e) {
            started.close();
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
