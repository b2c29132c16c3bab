package io.headgate.redis.limits;

import static java.util.Objects.requireNonNull;
import static org.assertj.core.api.Assertions.assertThat;

import io.headgate.limits.AsyncLimiter;
import io.headgate.limits.Colocation;
import io.headgate.limits.Decision;
import io.headgate.limits.Fallback;
import io.headgate.limits.Health;
import io.headgate.limits.Limit;
import io.headgate.limits.Limiter;
import io.headgate.limits.Policy;
import io.headgate.limits.Rule;
import io.headgate.limits.bans.BanRule;
import io.headgate.testkit.Await;
import io.headgate.testkit.ManualClock;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.RejectedExecutionException;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.RegisterExtension;

/** Limiters that decide copies of requests have no effect on real ones. */
@Timeout(180)
class ShadowLimiterIT {

    private static final Duration LONG = Duration.ofSeconds(30);
    private static final Duration MINUTE = Duration.ofMinutes(1);
    private static final Duration HOUR = Duration.ofHours(1);

    @RegisterExtension
    final OwnRedis redis = new OwnRedis();

    private static Policy perUser(long permits) {
        return Policy.of("api", Limit.slidingWindow(permits, HOUR), "user");
    }

    private RedisLimitEngine behindProxy(int maxInFlightCalls, boolean batching) {
        return Engines.builder(Engines.settings(redis.proxy.url()).withMaxInFlightCalls(maxInFlightCalls))
                .batching(batching)
                .build();
    }

    private static List<CompletableFuture<Decision>> send(AsyncLimiter limiter, int requests) {
        List<CompletableFuture<Decision>> sent = new ArrayList<>();
        for (int i = 0; i < requests; i++) {
            sent.add(limiter.tryAcquire("user-" + i).toCompletableFuture());
        }
        return sent;
    }

    private static boolean isRejected(CompletableFuture<Decision> copy) {
        return copy.isCompletedExceptionally()
                && copy.handle((decision, failure) ->
                                        failure instanceof CompletionException of ? of.getCause() : failure)
                                .join()
                        instanceof RejectedExecutionException;
    }

    @Test
    void copies_take_a_tenth_of_the_calls_so_that_real_requests_are_decided() {
        for (boolean batching : List.of(false, true)) {
            try (RedisLimitEngine engine = behindProxy(40, batching)) {
                Limiter api = engine.limiter(perUser(100));
                Limiter shadow = engine.shadowLimiter(perUser(1), "17");
                api.tryAcquire("a");
                Await.until("no call", LONG, () -> engine.callsInFlight() + engine.requestsInFlight() == 0);
                redis.proxy.holdReplies();
                List<CompletableFuture<Decision>> copies = send(shadow.async(), 50);
                assertThat(copies).filteredOn(copy -> !isRejected(copy)).hasSize(4);
                List<CompletableFuture<Decision>> requests = send(api.async(), 30);
                assertThat(requests).noneMatch(CompletableFuture::isCompletedExceptionally);
                redis.proxy.resume();
                requests.forEach(CompletableFuture::join);
            }
        }
    }

    @Test
    void no_copy_is_sent_while_a_quarter_of_the_calls_is_in_flight_and_with_few_calls_none_at_all() {
        try (RedisLimitEngine engine = behindProxy(40, false);
                RedisLimitEngine small = behindProxy(1, false)) {
            Limiter api = engine.limiter(perUser(100));
            Limiter shadow = engine.shadowLimiter(perUser(1), "17");
            assertThat(shadow.async()
                            .tryAcquire("a")
                            .toCompletableFuture()
                            .join()
                            .allowed())
                    .isTrue();
            redis.proxy.holdReplies();
            List<CompletableFuture<Decision>> requests = send(api.async(), 10);
            assertThat(send(shadow.async(), 1)).allMatch(ShadowLimiterIT::isRejected);
            assertThat(isRejected(shadow.async().peek("a").toCompletableFuture()))
                    .isTrue();
            redis.proxy.resume();
            requests.forEach(CompletableFuture::join);
            assertThat(send(small.shadowLimiter(perUser(1), "17").async(), 1)).allMatch(ShadowLimiterIT::isRejected);
            assertThat(small.limiter(perUser(1)).tryAcquire("b").allowed()).isTrue();
        }
    }

    @Test
    void copies_that_timed_out_count_until_redis_replies() {
        try (RedisLimitEngine engine = Engines.builder(Engines.settings(redis.proxy.url())
                        .withTimeout(Duration.ofMillis(200))
                        .withMaxInFlightCalls(40))
                .build()) {
            Limiter shadow = engine.shadowLimiter(perUser(1), "17");
            redis.proxy.holdReplies();
            Await.until("rejection", LONG, () -> {
                CompletableFuture<Decision> copy =
                        shadow.async().tryAcquire("a").toCompletableFuture();
                return isRejected(copy) && engine.callsInFlight() + engine.requestsInFlight() > 0;
            });
            assertThat(engine.callsInFlight()).isLessThanOrEqualTo(10);
            assertThat(engine.requestsInFlight()).isLessThanOrEqualTo(10);
            redis.proxy.resume();
        }
    }

    @Test
    void failing_copies_have_no_effect_on_the_health_and_no_fallback_decides_them() {
        try (RedisLimitEngine engine = RedisLimitEngine.builder(Engines.settings(redis.url()))
                .fallback(Fallback.open())
                .bans(false)
                .build()) {
            Limiter shadow = engine.shadowLimiter(perUser(1), "17");
            redis.probe.command("SET", "hg:shadow:17:sw:api:limit:a", "another program");
            for (int i = 0; i < 10; i++) {
                CompletableFuture<Decision> copy =
                        shadow.async().tryAcquire("a").toCompletableFuture();
                assertThat(copy.handle((decision, failure) -> failure != null).join())
                        .isTrue();
            }
            assertThat(engine.health()).isEqualTo(Health.HEALTHY);
            redis.probe.command("DEL", "hg:shadow:17:sw:api:limit:a");
        }
    }

    @Test
    void a_denied_copy_is_not_a_cached_denial_of_the_real_policy_or_of_another_shadow() {
        // Its time stands still, so that a cached denial is not checked in Redis again.
        ManualClock clock = ManualClock.at(Instant.parse("2026-11-29T10:00:00Z"));
        try (RedisLimitEngine engine = redis.limits().time(clock).build()) {
            Limiter shadow = engine.shadowLimiter(perUser(1), "17");
            assertThat(shadow.tryAcquire("a").allowed()).isTrue();
            assertThat(shadow.tryAcquire("a").denied()).isTrue();
            assertThat(shadow.tryAcquire("a").basis()).isEqualTo(Decision.Basis.CACHED_DENIAL);
            assertThat(engine.limiter(perUser(1)).tryAcquire("a").allowed()).isTrue();
            assertThat(engine.shadowLimiter(perUser(1), "18").tryAcquire("a").allowed())
                    .isTrue();
        }
    }

    @Test
    void copies_lease_no_permits() {
        Policy leased = Policy.named("api")
                .rule(Policy.ONLY_RULE, Limit.slidingWindow(1000, HOUR), "user")
                .leased(Duration.ofMinutes(1))
                .build();
        try (RedisLimitEngine engine = redis.limits().build()) {
            Limiter shadow = engine.shadowLimiter(leased, "17");
            for (int i = 0; i < 20; i++) {
                assertThat(shadow.tryAcquire("a").remaining()).isEqualTo(999 - i);
            }
            assertThat(engine.leasedPolicies()).isZero();
        }
    }

    @Test
    void bans_by_rules_of_a_shadow_are_under_its_keys() {
        Rule rule = Rule.of("per-user", Limit.slidingWindow(1, MINUTE), "user")
                .banning(BanRule.after(2, MINUTE).lasting(HOUR));
        Policy banning = Policy.named("api").rule(rule).build();
        Policy colocated =
                Policy.named("pages").rule(rule).colocate(Colocation.POLICY).build();
        try (RedisLimitEngine engine = redis.limits().build()) {
            Limiter shadow = engine.shadowLimiter(banning, "17");
            Await.until("ban", LONG, () -> shadow.tryAcquire("mallory").basis() == Decision.Basis.BANNED);
            Limiter pages = engine.shadowLimiter(colocated, "17");
            Await.until("ban", LONG, () -> pages.tryAcquire("mallory").basis() == Decision.Basis.BANNED);
            assertThat(engine.limiter(banning).tryAcquire("mallory").allowed()).isTrue();
            List<String> keys = ((List<?>) requireNonNull(redis.probe.command("KEYS", "hg:shadow:*")))
                    .stream().map(String::valueOf).toList();
            assertThat(keys)
                    .containsExactlyInAnyOrder(
                            "hg:shadow:17:sw:api:per-user:mallory",
                            "hg:shadow:17:dn:{hg:shadow:17:sw:api:per-user:mallory}",
                            "hg:shadow:17:sw:{pages}:per-user:mallory",
                            "hg:shadow:17:dn:sw:{pages}:per-user:mallory");
            assertThat((List<?>) requireNonNull(redis.probe.command("KEYS", "hg:dn:*")))
                    .isEmpty();
        }
    }
}
