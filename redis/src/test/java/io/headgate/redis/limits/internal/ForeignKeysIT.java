package io.headgate.redis.limits.internal;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.headgate.limits.Attributes;
import io.headgate.limits.Decision;
import io.headgate.limits.Fallback;
import io.headgate.limits.Health;
import io.headgate.limits.InFlightLimiter;
import io.headgate.limits.Limit;
import io.headgate.limits.Limiter;
import io.headgate.limits.LimiterException;
import io.headgate.limits.PermitRequest;
import io.headgate.limits.Policy;
import io.headgate.limits.RequestId;
import io.headgate.redis.RedisSettings;
import io.headgate.redis.limits.Engines;
import io.headgate.redis.limits.OwnRedis;
import io.headgate.redis.limits.RedisLimitEngine;
import io.headgate.testkit.Await;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** A foreign value in a key of Headgate is reported, also if a fallback decides the request. */
class ForeignKeysIT {

    private static final Limit LIMIT = Limit.slidingWindow(5, Duration.ofMinutes(1));
    private static final String ALICE = "hg:sw:p:limit:alice";

    @RegisterExtension
    final OwnRedis redis = new OwnRedis();

    private RedisLimitEngine limits() {
        Duration patience = Duration.ofSeconds(30);
        return RedisLimitEngine.builder(RedisSettings.of(redis.url()).withTimeout(patience))
                .fallback(Fallback.local().within(patience))
                .build();
    }

    @Test
    void a_foreign_count_is_named_and_other_keys_are_decided_by_redis() {
        redis.probe.command("SET", "hg:sw:p:limit:alice", "hello", "PX", "60000");
        try (RedisLimitEngine limits = limits()) {
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
    void a_foreign_value_in_the_key_of_instances_is_named() {
        redis.probe.command("SET", "hg:instances", "hello", "PX", "60000");
        try (RedisLimitEngine limits = limits()) {
            limits.limiter("p", Limit.slidingWindow(5, Duration.ofMinutes(1))).tryAcquire("alice");
            Await.until("it to be named", Duration.ofSeconds(20), () -> limits.foreignKey()
                    .filter(problem -> problem.startsWith("hg:instances holds something"))
                    .isPresent());
        }
    }

    @Test
    void a_foreign_value_in_the_key_of_holds_is_named() {
        try (RedisLimitEngine limits = limits()) {
            InFlightLimiter exports = limits.inFlight("exports", 1);
            exports.tryAcquire("alice").release();
            String key = "hg:if:{exports}:limit:alice";
            redis.probe.command("SET", key, "hello", "PX", "60000");
            exports.tryAcquire("alice").close();
            assertThat(limits.foreignKey())
                    .hasValueSatisfying(problem -> assertThat(problem).contains("DEL " + key));
        }
    }

    @Test
    void all_keys_of_a_policy_with_several_rules_are_named_and_no_valid_one_must_be_removed() {
        redis.probe.command("SET", "hg:sw:p:second:alice", "hello", "PX", "60000");
        try (RedisLimitEngine limits = limits()) {
            limits.limiter(Policy.named("p")
                            .rule("first", LIMIT, Attributes.KEY)
                            .rule("second", LIMIT, Attributes.KEY)
                            .build())
                    .tryAcquire("alice");
            assertNamesBoth(limits, "hg:sw:p:first:alice", "hg:sw:p:second:alice");
        }
    }

    @Test
    void a_foreign_record_of_a_request_id_is_named_with_the_count() {
        try (RedisLimitEngine limits = limits()) {
            Limiter limiter = limits.limiter("p", LIMIT);
            limiter.tryAcquire(PermitRequest.of("alice").withId(RequestId.of("r1")));
            String key =
                    String.valueOf(((List<?>) Objects.requireNonNull(redis.probe.command("KEYS", "hg:id:*"))).get(0));
            redis.probe.command("SET", key, "hello", "PX", "60000");
            limiter.tryAcquire(PermitRequest.of("alice").withId(RequestId.of("r1")));
            assertNamesBoth(limits, "hg:sw:p:limit:alice", key);
        }
    }

    private static void assertNamesBoth(RedisLimitEngine limits, String one, String other) {
        assertThat(limits.foreignKey()).hasValueSatisfying(problem -> assertThat(problem)
                .startsWith("one of the keys " + one + ", " + other)
                .doesNotContain("DEL"));
    }

    @Test
    void a_foreign_count_in_a_batch_is_named_alone() {
        redis.probe.command("SET", ALICE, "hello", "PX", "60000");
        try (RedisLimitEngine limits = Engines.builder(redis.proxy.url()).build()) {
            Limiter limiter = limits.limiter("p", LIMIT);
            limiter.tryAcquire("warm");
            redis.proxy.holdReplies();
            List<CompletableFuture<Decision>> calls = new ArrayList<>();
            for (int i = 0; i < 20; i++) {
                calls.add(limiter.async()
                        .tryAcquire(i == 15 ? "alice" : "user" + i)
                        .toCompletableFuture());
            }
            redis.proxy.resume();
            assertThat(calls.get(15)).failsWithin(Duration.ofSeconds(20));
            assertThat(calls.get(16)).succeedsWithin(Duration.ofSeconds(20));
            assertNamesAlice(limits);
        }
    }

    private static void assertNamesAlice(RedisLimitEngine limits) {
        assertThat(limits.foreignKey())
                .hasValueSatisfying(problem -> assertThat(problem).contains("DEL " + ALICE));
    }

    @ParameterizedTest
    @ValueSource(strings = {"acquire", "peek", "refund", "hold"})
    void a_foreign_key_is_named_by_requests_peeks_refunds_and_holds_also_without_a_fallback(String call) {
        redis.probe.command("LPUSH", ALICE, "hello");
        redis.probe.command("PEXPIRE", ALICE, "60000");
        redis.probe.command("SET", "hg:if:{p}:limit:alice", "hello", "PX", "60000");
        try (RedisLimitEngine limits = redis.limits().build()) {
            Limiter limiter = limits.limiter("p", LIMIT);
            InFlightLimiter inFlight = limits.inFlight("p", 1);
            Map<String, Runnable> calls = Map.of(
                    "acquire", () -> limiter.tryAcquire("alice"),
                    "peek", () -> limiter.peek("alice"),
                    "refund", () -> limiter.refundOldest(PermitRequest.of("alice")),
                    "hold", () -> inFlight.tryAcquire("alice"));
            assertThatThrownBy(Objects.requireNonNull(calls.get(call))::run).isInstanceOf(LimiterException.class);
            assertThat(limits.foreignKey()).hasValueSatisfying(problem -> assertThat(problem)
                    .contains("DEL " + (call.equals("hold") ? "hg:if:{p}:limit:alice" : ALICE)));
        }
    }
}
