package io.headgate.redis.limits;

import static org.assertj.core.api.Assertions.assertThat;

import io.headgate.limits.Decision;
import io.headgate.limits.Fallback;
import io.headgate.limits.Health;
import io.headgate.limits.InFlightLimiter;
import io.headgate.limits.Limit;
import io.headgate.limits.Limiter;
import io.headgate.testkit.Await;
import java.time.Duration;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** A foreign value under a key of Headgate's is noticed also where a fallback answers. */
class ForeignKeysIT {

    @RegisterExtension
    final OwnRedis redis = new OwnRedis();

    private RedisLimits limits() {
        Duration patience = Duration.ofSeconds(30);
        return RedisLimits.builder()
                .url(redis.url())
                .timeout(patience)
                .fallback(Fallback.local().within(patience))
                .build();
    }

    @Test
    void a_foreign_count_is_named_and_other_keys_are_decided_by_redis() {
        redis.probe.command("SET", "hg:sw:p:limit:alice", "hello", "PX", "60000");
        try (RedisLimits limits = limits()) {
            Limiter limiter = limits.limiter("p", Limit.slidingWindow(5, Duration.ofMinutes(1)));
            assertThat(limits.foreignKey()).isEmpty();
            assertThat(limiter.tryAcquire("alice").basis()).isEqualTo(Decision.Basis.LOCAL_SHARE);
            assertThat(limiter.tryAcquire("bob").basis()).isEqualTo(Decision.Basis.COUNTED);
            assertThat(limits.foreignKey()).hasValueSatisfying(problem -> assertThat(problem)
                    .startsWith("hg:sw:p:limit:alice holds something that Headgate did not store")
                    .contains("DEL hg:sw:p:limit:alice"));
            assertThat(limits.health()).isEqualTo(Health.HEALTHY);
        }
    }

    @Test
    void foreign_instances_are_named() {
        redis.probe.command("SET", "hg:instances", "hello", "PX", "60000");
        try (RedisLimits limits = limits()) {
            limits.limiter("p", Limit.slidingWindow(5, Duration.ofMinutes(1))).tryAcquire("alice");
            Await.until("it to be named", Duration.ofSeconds(20), () -> limits.foreignKey()
                    .filter(problem -> problem.startsWith("hg:instances holds something"))
                    .isPresent());
        }
    }

    @Test
    void a_foreign_place_in_flight_is_named() {
        try (RedisLimits limits = limits()) {
            InFlightLimiter exports = limits.inFlight("exports", 1);
            exports.tryAcquire("alice").release();
            String key = "hg:if:{exports}:limit:alice";
            redis.probe.command("SET", key, "hello", "PX", "60000");
            exports.tryAcquire("alice").close();
            assertThat(limits.foreignKey()).isPresent();
        }
    }
}
