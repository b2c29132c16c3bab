package io.headgate.micrometer;

import static org.assertj.core.api.Assertions.assertThat;

import io.headgate.limits.Fallback;
import io.headgate.limits.Health;
import io.headgate.limits.Limit;
import io.headgate.limits.Limiter;
import io.headgate.redis.RedisSettings;
import io.headgate.redis.limits.RedisLimitEngine;
import io.headgate.testkit.Await;
import io.headgate.testkit.RedisServer;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** The meters of an engine on Redis. */
@Timeout(180)
class LimitMetricsIT {

    private static final Duration LONG = Duration.ofMinutes(1);

    private final SimpleMeterRegistry meters = new SimpleMeterRegistry();

    @Test
    void an_outage_of_redis_is_a_state_and_counted_in_seconds_and_its_decisions_have_a_basis_of_their_own() {
        try (RedisServer redis = RedisServer.startOwn();
                RedisLimitEngine engine = RedisLimitEngine.builder(
                                RedisSettings.of(redis.url()).withTimeout(Duration.ofSeconds(2)))
                        .fallback(Fallback.open().within(Duration.ofSeconds(1)))
                        .build();
                LimitMetrics metrics = new LimitMetrics(engine)) {
            metrics.bindTo(meters);
            Limiter api = engine.limiter("api", Limit.slidingWindow(1_000_000, Duration.ofHours(1)));
            Await.until("a decision by Redis", LONG, () -> {
                api.tryAcquire("alice");
                return requests("counted") > 0;
            });
            assertThat(meters.get("headgate.decision.duration").timer().totalTime(TimeUnit.NANOSECONDS))
                    .isPositive();
            assertThat(degraded()).isZero();

            redis.kill();
            Await.until("the outage", LONG, () -> {
                api.tryAcquire("alice");
                return degraded() == 1;
            });
            assertThat(requests("open")).isPositive();
            Await.until("some time without Redis", LONG, () -> degradedSeconds() > 0);

            redis.restart();
            Await.until("the recovery", LONG, () -> engine.health() == Health.HEALTHY);
            assertThat(degraded()).isZero();
            double seconds = degradedSeconds();
            assertThat(degradedSeconds()).isEqualTo(seconds);
        }
    }

    private double requests(String basis) {
        return meters
                .find("headgate.requests")
                .tags("policy", "api", "basis", basis, "outcome", "allowed")
                .counters()
                .stream()
                .mapToDouble(counter -> counter.count())
                .sum();
    }

    private double degraded() {
        return meters.get("headgate.engine.degraded").gauge().value();
    }

    private double degradedSeconds() {
        return meters.get("headgate.engine.degraded.time").functionCounter().count();
    }
}
