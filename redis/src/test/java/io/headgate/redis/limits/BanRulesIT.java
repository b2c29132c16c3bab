package io.headgate.redis.limits;

import static org.assertj.core.api.Assertions.assertThat;

import io.headgate.limits.Attributes;
import io.headgate.limits.CalendarWindow;
import io.headgate.limits.Colocation;
import io.headgate.limits.Decision;
import io.headgate.limits.Decision.Basis;
import io.headgate.limits.Fallback;
import io.headgate.limits.InMemoryLimitEngine;
import io.headgate.limits.LeakyBucket;
import io.headgate.limits.Limit;
import io.headgate.limits.LimitEngine;
import io.headgate.limits.Limiter;
import io.headgate.limits.PermitRequest;
import io.headgate.limits.Policy;
import io.headgate.limits.Rule;
import io.headgate.limits.bans.BanRequest;
import io.headgate.limits.bans.BanRule;
import io.headgate.limits.bans.BanTarget;
import io.headgate.limits.combined.CombinedRequest;
import io.headgate.testkit.Await;
import io.headgate.testkit.ManualClock;
import java.time.Duration;
import java.time.Instant;
import java.time.ZoneOffset;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Bans by rules on Redis: what is stored, what it costs, and that every way to decide a request agrees with the engine in memory. */
@Timeout(300)
class BanRulesIT {

    private static final Duration MINUTE = Duration.ofMinutes(1);
    private static final Duration HOUR = Duration.ofHours(1);
    private static final Instant START = Instant.parse("2026-11-29T10:00:00Z");
    private static final String KEY = "hg:sw:api:per-user:mallory";
    private static final String DENIALS = "hg:dn:{" + KEY + "}";
    private static final int STEPS = 1500;

    @RegisterExtension
    final OwnRedis redis = new OwnRedis();

    private final ManualClock clock = ManualClock.at(START);

    private static Policy api(BanRule ban) {
        return Policy.named("api")
                .rule(Rule.of("per-user", Limit.slidingWindow(1, MINUTE), "user")
                        .banning(ban))
                .build();
    }

    private static Policy api() {
        return api(BanRule.after(3, MINUTE).lasting(HOUR));
    }

    private static void ban(Limiter limiter) {
        while (limiter.tryAcquire("mallory").basis() != Basis.BANNED) {
            assertThat(limiter.policy().rules()).isNotEmpty();
        }
    }

    static List<Limit> limitsOfEveryKind() {
        return List.of(
                Limit.fixedWindow(3, MINUTE),
                Limit.fixedWindow(3, MINUTE).fromFirstRequest(),
                Limit.slidingWindow(3, MINUTE),
                Limit.slidingWindow(18, MINUTE),
                Limit.slidingCounter(3, MINUTE),
                Limit.tokenBucket(3, 1, Duration.ofSeconds(20)),
                Limit.leakyBucket(3, 1, Duration.ofSeconds(20)),
                new LeakyBucket(3, 1, Duration.ofSeconds(20), LeakyBucket.Mode.SHAPER),
                new CalendarWindow(3, CalendarWindow.Unit.DAY, ZoneOffset.UTC));
    }

    /** Without cached bans, because a request that one of them denies is not counted as a denial by other rules. */
    @ParameterizedTest
    @MethodSource("limitsOfEveryKind")
    void all_engines_agree_with_the_one_in_memory_on_several_rules(Limit limit) {
        BanRule ban = BanRule.after(4, MINUTE).lasting(counted(limit));
        Policy policy = Policy.named("agree")
                .rule("global", Limit.slidingWindow(60, Duration.ofSeconds(20)))
                .rule(Rule.of("per-user", limit, "user")
                        .banning(ban.doublingUpTo(ban.duration().multipliedBy(3))))
                .rule(Rule.of("in-shadow", limit, "ip")
                        .banning(BanRule.after(6, MINUTE.multipliedBy(2)).lasting(ban.duration()))
                        .inShadow())
                .build();
        agree(
                policy,
                limit.hashCode(),
                engine("batched").maxCachedDenials(0),
                engine("unbatched").maxCachedDenials(0).batching(false),
                engine("a-slot-a-call").maxCachedDenials(0).oneSlotACall());
    }

    @ParameterizedTest
    @MethodSource("limitsOfEveryKind")
    void cached_bans_agree_with_the_engine_in_memory(Limit limit) {
        BanRule ban = BanRule.after(4, MINUTE).lasting(counted(limit));
        Policy policy = Policy.named("agree")
                .rule(Rule.of("per-user", limit, "user").banning(ban))
                .build();
        agree(
                policy,
                limit.hashCode(),
                engine("cached"),
                engine("a-slot-a-call").oneSlotACall());
    }

    private static Duration counted(Limit limit) {
        return limit instanceof CalendarWindow ? Duration.ofHours(25) : MINUTE.multipliedBy(2);
    }

    /** Random histories of requests, peeks, refunds and resets. */
    private void agree(Policy policy, int seed, RedisLimitEngine.Builder... others) {
        List<LimitEngine> engines = new ArrayList<>();
        engines.add(InMemoryLimitEngine.builder().time(clock).build());
        Stream.of(others).forEach(engine -> engines.add(engine.build()));
        try {
            List<Limiter> limiters =
                    engines.stream().map(engine -> engine.limiter(policy)).toList();
            Random random = new Random(seed);
            int banned = 0;
            for (int step = 0; step < STEPS; step++) {
                banned += step(random, limiters) ? 1 : 0;
            }
            assertThat(banned).as("banned decisions").isBetween(5, STEPS * 9 / 10);
        } finally {
            engines.forEach(LimitEngine::close);
        }
    }

    private RedisLimitEngine.Builder engine(String prefix) {
        return Engines.builder(Engines.settings(redis.url()).withKeyPrefix(prefix))
                .time(clock);
    }

    /** Takes the same step with each limiter, and requires equal results. Returns whether the decision was a ban. */
    private boolean step(Random random, List<Limiter> limiters) {
        Attributes who = Attributes.of("user", "user-" + random.nextInt(2)).with("ip", "192.0.2." + random.nextInt(2));
        PermitRequest request = PermitRequest.of(who).withPermits(random.nextInt(8) == 0 ? 1 + random.nextInt(5) : 1);
        int action = random.nextInt(40);
        Object expected = null;
        for (Limiter limiter : limiters) {
            Object result = action == 0
                    ? limiter.resetRule("per-user", who)
                    : action == 1
                            ? limiter.refundOldest(request)
                            : action < 6 ? limiter.peek(request) : limiter.tryAcquire(request);
            expected = expected == null ? result : expected;
            assertThat(comparable(result, result))
                    .as("engine %d, %s at %d", limiters.indexOf(limiter), request, clock.nowMicros())
                    .isEqualTo(comparable(expected, result));
        }
        pass(random);
        return expected instanceof Decision decision && decision.basis() == Basis.BANNED;
    }

    /** The parts of a result that must agree; a cached ban has only the rule that bans, so only that one is compared. */
    private static Object comparable(Object result, Object actual) {
        if (!(result instanceof Decision decision)) {
            return result;
        }
        List<String> names = ((Decision) actual)
                .rules().stream().map(rule -> rule.rule().name()).toList();
        return List.of(
                decision.allowed(),
                decision.basis(),
                decision.rules().stream()
                        .filter(rule -> names.contains(rule.rule().name()))
                        .toList());
    }

    private void pass(Random random) {
        switch (random.nextInt(12)) {
            case 0 -> clock.advance(Duration.ofNanos(1000L * random.nextInt(2000)));
            case 1 -> clock.advance(Duration.ofSeconds(random.nextInt(70)));
            case 2 -> clock.advance(MINUTE.multipliedBy(random.nextInt(3)));
            default -> {}
        }
        if (random.nextInt(60) == 0) {
            clock.advance(Duration.ofHours(random.nextInt(80)));
        }
    }

    @Test
    void the_key_contains_the_ban_and_another_one_the_recent_denials() {
        try (RedisLimitEngine limits = redis.limits().time(clock).build()) {
            Limiter limiter = limits.limiter(api(BanRule.after(3, MINUTE).lasting(HOUR)));
            limiter.tryAcquire("mallory");
            limiter.tryAcquire("mallory");
            assertThat(redis.probe.command("STRLEN", DENIALS)).isEqualTo(15L);
            assertThat((Long) redis.probe.command("PTTL", DENIALS)).isBetween(60_001L, 120_000L);
            limiter.tryAcquire("mallory");
            limiter.tryAcquire("mallory");
            assertThat(redis.probe.command("STRLEN", KEY)).isEqualTo(17L);
            assertThat(redis.probe.command("GETRANGE", KEY, "0", "2")).isEqualTo("ban");
            assertThat((Long) redis.probe.command("PTTL", KEY)).isBetween(3_600_001L, 3_660_000L);
            assertThat(redis.probe.command("STRLEN", DENIALS)).isEqualTo(8L);
            assertThat((Long) redis.probe.command("PTTL", DENIALS)).isBetween(7_200_001L, 7_260_000L);
            assertThat(limiter.reset("mallory")).isTrue();
            assertThat(redis.probe.command("EXISTS", KEY, DENIALS)).isEqualTo(0L);
        }
    }

    @Test
    void the_denials_of_a_colocated_policy_are_in_its_slot() {
        try (RedisLimitEngine limits = redis.limits().build()) {
            Policy policy = Policy.named("api")
                    .rule(api().rules().get(0))
                    .colocate(Colocation.POLICY)
                    .build();
            Limiter limiter = limits.limiter(policy);
            limiter.tryAcquire("mallory");
            limiter.tryAcquire("mallory");
            assertThat(redis.probe.command("EXISTS", "hg:dn:sw:{api}:per-user:mallory"))
                    .isEqualTo(1L);
            limiter.reset("mallory");
            assertThat(redis.probe.command("EXISTS", "hg:dn:sw:{api}:per-user:mallory"))
                    .isEqualTo(0L);
        }
    }

    @Test
    void an_allowed_request_costs_no_further_command_and_a_flood_of_a_banned_id_no_call() {
        // Without a record of the ban, which is a call a second after it.
        try (RedisLimitEngine limits =
                redis.limits().time(clock).invalidations(false).auditBans(false).build()) {
            Policy plain = Policy.of("plain", Limit.fixedWindow(100, MINUTE), "user");
            Policy banning = Policy.named("banning")
                    .rule(Rule.of("limit", Limit.fixedWindow(100, MINUTE), "user")
                            .banning(BanRule.after(3, MINUTE).lasting(HOUR)))
                    .build();
            Map<String, Long> allowed = commands(limits.limiter(plain), 100);
            Limiter limiter = limits.limiter(banning);
            assertThat(commands(limiter, 100)).isEqualTo(allowed);
            ban(limiter);
            assertThat(commands(limiter, 1000)).isEmpty();
            clock.advance(Duration.ofSeconds(1));
            assertThat(commands(limiter, 1000)).containsEntry("EVALSHA", 1L);
        }
    }

    private Map<String, Long> commands(Limiter limiter, int requests) {
        limiter.peek("mallory");
        redis.probe.command("CONFIG", "RESETSTAT");
        for (int i = 0; i < requests; i++) {
            limiter.tryAcquire("mallory");
        }
        Map<String, Long> calls = new LinkedHashMap<>(redis.probe.commandCalls());
        calls.keySet().removeIf(name -> name.startsWith("CONFIG") || name.equals("INFO"));
        return calls;
    }

    @Test
    void concurrent_requests_ban_after_exactly_that_many_denials() {
        try (RedisLimitEngine limits = redis.limits().time(clock).build()) {
            Limiter limiter = limits.limiter(Policy.named("batches")
                    .rule(Rule.of("per-user", Limit.slidingWindow(10, MINUTE), "user")
                            .banning(BanRule.after(491, MINUTE).lasting(HOUR)))
                    .build());
            List<CompletableFuture<Decision>> pending = new ArrayList<>();
            for (int i = 0; i < 500; i++) {
                pending.add(limiter.async().tryAcquire("mallory").toCompletableFuture());
            }
            // In batches, one of which admits some of its requests.
            assertThat(pending.stream().map(CompletableFuture::join))
                    .allMatch(decision -> decision.basis() == Basis.COUNTED)
                    .filteredOn(Decision::allowed)
                    .hasSize(10);
            assertThat(limiter.tryAcquire("mallory").basis()).isEqualTo(Basis.BANNED);
        }
    }

    @Test
    void a_ban_by_one_process_is_in_force_in_another_and_its_reset_lifts_it_there() {
        try (RedisLimitEngine one = redis.limits().build();
                RedisLimitEngine other = redis.limits().build()) {
            ban(one.limiter(api()));
            Limiter limiter = other.limiter(api());
            assertThat(limiter.tryAcquire("mallory").basis()).isEqualTo(Basis.BANNED);
            one.limiter(api()).reset("mallory");
            Await.until(
                    "the reset has arrived",
                    Duration.ofSeconds(60),
                    () -> limiter.tryAcquire("mallory").basis() != Basis.BANNED);
        }
    }

    @Test
    void a_known_ban_stays_in_force_during_an_outage() {
        try (RedisLimitEngine cut = RedisLimitEngine.builder(Engines.settings(redis.proxy.url()))
                .fallback(Fallback.open())
                .bans(false)
                .time(clock)
                .build()) {
            Limiter limiter = cut.limiter(api());
            ban(limiter);
            redis.proxy.refuseConnections();
            redis.proxy.cutAll();
            for (int second = 0; second < 5; second++) {
                clock.advance(Duration.ofSeconds(1));
                assertThat(limiter.tryAcquire("mallory").basis()).isEqualTo(Basis.BANNED);
                assertThat(limiter.tryAcquire("alice").basis()).isEqualTo(Basis.OPEN);
                assertThat(cut.tryAcquire(CombinedRequest.of(limiter, PermitRequest.of("mallory")))
                                .denied())
                        .isTrue();
            }
            clock.advance(HOUR.multipliedBy(2));
            assertThat(limiter.tryAcquire("mallory").basis()).isEqualTo(Basis.OPEN);
        }
    }

    @Test
    void a_ban_remains_in_force_if_the_rule_no_longer_bans() {
        try (RedisLimitEngine limits = redis.limits().time(clock).build()) {
            Limiter limiter = limits.limiter(api());
            ban(limiter);
            limiter.update(Policy.named("api")
                    .rule("per-user", Limit.slidingWindow(1, MINUTE), "user")
                    .build());
            clock.advance(Duration.ofMinutes(59));
            assertThat(limiter.tryAcquire("mallory").basis()).isEqualTo(Basis.BANNED);
            clock.advance(Duration.ofMinutes(10));
            assertThat(limiter.tryAcquire("mallory").allowed()).isTrue();
            assertThat(redis.probe.command("STRLEN", KEY)).isEqualTo(74L);
        }
    }

    @Test
    void a_cached_ban_ends_when_redis_no_longer_has_it() {
        try (RedisLimitEngine limits =
                redis.limits().time(clock).invalidations(false).build()) {
            Limiter limiter = limits.limiter(api());
            limiter.tryAcquire("mallory");
            for (int i = 0; i < 3; i++) {
                limiter.tryAcquire(PermitRequest.of("mallory").withPermits(5));
            }
            assertThat(limiter.tryAcquire("mallory").basis()).isEqualTo(Basis.BANNED);
            redis.probe.command("DEL", KEY, DENIALS);
            clock.advance(Duration.ofSeconds(1));
            assertThat(limiter.tryAcquire("mallory").allowed()).isTrue();
            assertThat(limiter.tryAcquire("mallory").basis()).isEqualTo(Basis.COUNTED);
        }
    }

    @Test
    void exempt_requests_count_no_denials() {
        try (RedisLimitEngine limits = redis.limits().bans(true).time(clock).build()) {
            Limiter limiter = limits.limiter(api());
            limits.bans()
                    .add(BanRequest.countedExemption(BanTarget.user("mallory")).lasting(HOUR));
            assertThat(Stream.generate(() -> limiter.tryAcquire("mallory").allowed())
                            .limit(9))
                    .containsOnly(true);
            limits.bans().lift(BanTarget.user("mallory"));
            assertThat(limiter.tryAcquire("mallory").basis()).isEqualTo(Basis.COUNTED);
            assertThat(redis.probe.command("STRLEN", DENIALS)).isEqualTo(15L);
        }
    }

    @Test
    void a_request_is_denied_though_redis_refuses_to_store_its_ban() {
        try (RedisLimitEngine limits = redis.limits().build()) {
            Limiter limiter = limits.limiter(api(BanRule.after(1, MINUTE).lasting(HOUR)));
            limiter.tryAcquire("mallory");
            redis.probe.command("CONFIG", "SET", "maxmemory", "1");
            try {
                assertThat(limiter.tryAcquire("mallory").basis()).isEqualTo(Basis.COUNTED);
            } finally {
                redis.probe.command("CONFIG", "SET", "maxmemory", "0");
            }
            assertThat(limiter.tryAcquire("mallory").basis()).isEqualTo(Basis.BANNED);
        }
    }

    @Test
    void a_ban_that_begins_later_by_the_clock_begins_now() {
        try (RedisLimitEngine limits =
                redis.limits().time(clock).maxCachedDenials(0).build()) {
            Limiter limiter = limits.limiter(api());
            ban(limiter);
            clock.setMicros(clock.nowMicros() - 5_000_000);
            Decision banned = limiter.tryAcquire("mallory");
            assertThat(banned.rules().get(0).bannedFor()).contains(Duration.ZERO);
            assertThat(banned.retryAfter()).contains(HOUR.plusSeconds(5));
        }
    }

    @Test
    void usage_of_an_outage_begins_no_ban() {
        Policy policy = Policy.named("api")
                .rule(Rule.of("per-user", Limit.slidingWindow(10, HOUR), "user")
                        .banning(BanRule.after(1, MINUTE).lasting(HOUR)))
                .build();
        try (RedisLimitEngine direct = redis.limits().build();
                RedisLimitEngine cut = RedisLimitEngine.builder(Engines.settings(redis.proxy.url()))
                        .fallback(Fallback.local())
                        .bans(false)
                        .build()) {
            Limiter limiter = cut.limiter(policy);
            limiter.peek("mallory");
            redis.proxy.refuseConnections();
            redis.proxy.cutAll();
            for (int i = 0; i < 8; i++) {
                limiter.tryAcquire("mallory");
            }
            Limiter other = direct.limiter(policy);
            for (int i = 0; i < 5; i++) {
                other.tryAcquire("mallory");
            }
            redis.proxy.acceptConnections();
            Await.until(
                    "the usage is charged",
                    Duration.ofSeconds(60),
                    () -> other.peek("mallory").remaining() == 0);
            assertThat(other.peek("mallory").basis()).isEqualTo(Basis.COUNTED);
        }
    }

    @Test
    void a_foreign_value_in_place_of_the_denials_is_replaced() {
        redis.probe.command("RPUSH", DENIALS, "foreign");
        redis.probe.command("EXPIRE", DENIALS, "60");
        try (RedisLimitEngine limits = redis.limits().build()) {
            Limiter limiter = limits.limiter(api());
            assertThat(Stream.generate(() -> limiter.tryAcquire("mallory").basis())
                            .limit(4))
                    .containsExactly(Basis.COUNTED, Basis.COUNTED, Basis.COUNTED, Basis.BANNED);
            assertThat(redis.probe.command("TYPE", DENIALS)).isEqualTo("string");
        }
    }
}
