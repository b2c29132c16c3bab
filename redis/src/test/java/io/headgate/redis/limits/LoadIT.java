package io.headgate.redis.limits;

import static org.assertj.core.api.Assertions.assertThat;

import io.headgate.limits.Attributes;
import io.headgate.limits.Decision.Basis;
import io.headgate.limits.Fallback;
import io.headgate.limits.Limit;
import io.headgate.limits.Limiter;
import io.headgate.limits.PermitRequest;
import io.headgate.limits.Policy;
import io.headgate.redis.RedisSettings;
import io.headgate.testkit.Await;
import io.headgate.testkit.RedisServer;
import java.time.Duration;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** The load of an engine on Redis. */
@Timeout(180)
class LoadIT {

    private static final Duration HOUR = Duration.ofHours(1);
    private static final Duration LONG = Duration.ofMinutes(1);

    @Test
    void ids_are_leased_while_their_permits_are() {
        try (RedisServer redis = RedisServer.startOwn();
                RedisLimitEngine engine = RedisLimitEngine.builder(
                                RedisSettings.of(redis.url()).withTimeout(LONG))
                        .fallback(Fallback.none())
                        .build()) {
            Limiter api = engine.limiter(Policy.named("api")
                    .rule("per-user", Limit.tokenBucket(10_000, 10_000, HOUR), Attributes.USER)
                    .leased()
                    .build());
            assertThat(engine.load().leasedIds()).isZero();

            PermitRequest request = PermitRequest.of(Attributes.of(Attributes.USER, "alice"));
            Await.until("a lease", LONG, () -> api.tryAcquire(request).basis() == Basis.LEASED);
            assertThat(engine.load().leasedIds()).isEqualTo(1);
        }
    }

    @Test
    void ids_are_unsynced_from_an_outage_until_redis_is_charged() {
        try (RedisServer redis = RedisServer.startOwn();
                RedisLimitEngine engine = RedisLimitEngine.builder(
                                RedisSettings.of(redis.url()).withTimeout(Duration.ofSeconds(2)))
                        .build()) {
            Limiter api = engine.limiter("api", Limit.slidingWindow(1_000_000, HOUR));
            redis.kill();
            Await.until("a local share", LONG, () -> api.tryAcquire("alice").basis() == Basis.LOCAL_SHARE);
            assertThat(engine.load().unsyncedIds()).isEqualTo(1);

            redis.restart();
            Await.until("the charge in Redis", LONG, engine::isSynced);
            assertThat(engine.load().unsyncedIds()).isZero();
        }
    }
}
