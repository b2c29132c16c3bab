package io.headgate.redis.limits;

import static org.assertj.core.api.Assertions.assertThat;

import io.headgate.limits.Attributes;
import io.headgate.limits.CalendarWindow;
import io.headgate.limits.Decision;
import io.headgate.limits.FixedWindow;
import io.headgate.limits.LeakyBucket;
import io.headgate.limits.Limit;
import io.headgate.limits.Limiter;
import io.headgate.limits.PermitRequest;
import io.headgate.limits.Policy;
import io.headgate.limits.RequestId;
import io.headgate.limits.Rule;
import io.headgate.limits.SlidingCounter;
import io.headgate.limits.SlidingWindow;
import io.headgate.limits.TokenBucket;
import io.headgate.testkit.ManualClock;
import io.headgate.testkit.RedisProbe;
import io.headgate.testkit.RedisServer;
import io.headgate.testkit.conditions.ServerVersionSensitive;
import java.time.Duration;
import java.time.ZoneId;
import java.util.HashSet;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Every key expires: not while it can affect a decision, not long after, and not at the same instant as the others. */
@ServerVersionSensitive
class ExpiryIT {

    private static final RedisServer REDIS = RedisServer.startOwn();

    @RegisterExtension
    static final LeavesNothingBehind NOTHING_BEHIND = LeavesNothingBehind.in(REDIS.url(), "*");

    private static final Duration MINUTE = Duration.ofMinutes(1);

    /** The part of an expiry that may have elapsed before the test reads it. */
    private static final Duration ELAPSED = Duration.ofSeconds(10);

    private final RedisProbe probe = RedisProbe.of(REDIS.url());
    private final RedisLimitEngine limits = Engines.builder(REDIS.url()).build();

    @AfterAll
    static void stop() {
        REDIS.close();
    }

    @BeforeEach
    void empty() {
        probe.flushAll();
    }

    @AfterEach
    void close() {
        limits.close();
        probe.close();
    }

    static Stream<Limit> limits_of_all_kinds_but_calendar_windows() {
        return Stream.of(
                        Duration.ofMillis(1),
                        Duration.ofSeconds(1),
                        MINUTE,
                        Duration.ofHours(1),
                        Duration.ofDays(30),
                        Duration.ofDays(366))
                .flatMap(window -> Stream.of(
                        Limit.fixedWindow(10, window),
                        Limit.fixedWindow(10, window).fromFirstRequest(),
                        Limit.slidingWindow(10, window),
                        Limit.slidingCounter(10, window),
                        Limit.tokenBucket(10, 10, window),
                        Limit.tokenBucket(10, 7, window),
                        Limit.leakyBucket(10, 7, window),
                        Limit.leakyBucket(10, 10, window).shaper()));
    }

    static Stream<Limit> limits_of_all_kinds() {
        return Stream.concat(
                limits_of_all_kinds_but_calendar_windows(),
                Stream.of(CalendarWindow.Unit.values())
                        .map(unit -> Limit.calendarWindow(10, unit, ZoneId.of("America/Havana"))));
    }

    @ParameterizedTest
    @MethodSource("limits_of_all_kinds")
    void a_key_outlives_its_last_charge_by_a_minute_and_not_much_more(Limit limit) {
        Limiter limiter = limits.limiter("p", limit);
        Attributes alice = Attributes.of(Attributes.KEY, "a");
        limiter.peek(PermitRequest.of(alice));
        assertThat(probe.command("DBSIZE")).isEqualTo(0L);
        for (long permits : new long[] {1, 9, 10, 1, 11}) {
            Decision decision = limiter.tryAcquire(PermitRequest.of(alice).withPermits(permits));
            assertOutlives(decision.resetAfter());
            limiter.peek(PermitRequest.of(alice).withPermits(permits));
            assertOutlives(decision.resetAfter());
            assertThat(expiry(onlyKey())).isLessThan(longestExpiry(window(limit)));
        }
        limiter.resetRule("limit", alice);
        assertThat(probe.command("DBSIZE")).isEqualTo(0L);
    }

    @ParameterizedTest
    @MethodSource("limits_of_all_kinds")
    void a_key_that_only_counts_attempts_expires_like_any_other(Limit limit) {
        Policy policy = Policy.named("p")
                .rule("closed", Limit.fixedWindow(0, MINUTE))
                .rule(Rule.of("attempts", limit).countingAttempts())
                .build();
        Limiter limiter = limits.limiter(policy);
        for (long permits : new long[] {1, 20, 1, Long.MAX_VALUE}) {
            Decision decision = limiter.tryAcquire(PermitRequest.global().withPermits(permits));
            assertThat(decision.denied()).isTrue();
            assertOutlives(decision.rules().get(1).resetAfter());
            assertThat(expiry(onlyKey())).isLessThan(longestExpiry(window(limit)));
        }
    }

    @Test
    void keys_charged_at_the_same_time_expire_spread_over_several_seconds() {
        for (Limit limit : List.of(
                Limit.fixedWindow(10, MINUTE),
                Limit.slidingWindow(10, MINUTE),
                Limit.tokenBucket(10, 10, MINUTE),
                Limit.leakyBucket(10, 10, MINUTE),
                Limit.slidingCounter(10, MINUTE),
                Limit.calendarWindow(10, CalendarWindow.Unit.DAY, ZoneId.of("UTC")),
                Limit.slidingWindow(10, Duration.ofDays(1)))) {
            probe.flushAll();
            Limiter limiter = limits.limiter("p", limit);
            Set<Long> seconds = new HashSet<>();
            for (int i = 0; i < 200; i++) {
                limiter.tryAcquire("user" + i);
            }
            keys().forEach(key -> seconds.add(expiry(key).toSeconds()));
            assertThat(keys()).hasSize(200);
            assertThat(seconds).as("seconds left for %s", limit).hasSizeGreaterThan(8);
        }
    }

    @Test
    void by_default_the_decision_of_a_request_with_an_id_is_kept_for_a_minute() {
        limits.limiter("p", Limit.slidingWindow(10, MINUTE))
                .tryAcquire(PermitRequest.of("a").withId(RequestId.of("order")));
        assertThat(keys()).containsExactlyInAnyOrder("hg:sw:p:limit:a", "hg:id:p:order");
        assertThat(expiry("hg:id:p:order")).isBetween(MINUTE.minus(ELAPSED), MINUTE);
    }

    @Test
    void the_record_of_a_refund_is_kept_a_minute_longer_than_its_charge_counts() {
        Limiter limiter = limits.limiter("p", Limit.slidingWindow(10, Duration.ofHours(2)));
        Decision decision = limiter.tryAcquire("a");
        limiter.tryAcquire("a");
        assertThat(limiter.refund("a", decision)).isEqualTo(1);
        String record = "hg:rf:p:" + Long.toUnsignedString(decision.chargeId(), Character.MAX_RADIX);
        assertThat(keys()).containsExactlyInAnyOrder("hg:sw:p:limit:a", record);
        assertThat(expiry(record))
                .isBetween(
                        Duration.ofHours(2).plus(MINUTE).minus(ELAPSED),
                        Duration.ofHours(2).plus(MINUTE));
    }

    @Test
    void every_rule_of_a_policy_stores_a_key_that_expires() {
        Policy policy = Policy.named("p")
                .rule("global", Limit.tokenBucket(100, 10, Duration.ofHours(1)))
                .rule("per-user", Limit.slidingWindow(5, MINUTE), Attributes.USER)
                .rule("per-ip", Limit.fixedWindow(50, Duration.ofDays(1)), Attributes.IP)
                .build();
        Limiter limiter = limits.limiter(policy);
        for (int i = 0; i < 10; i++) {
            limiter.tryAcquire(
                    PermitRequest.of(Attributes.of(Attributes.USER, "a").with(Attributes.IP, "192.0.2.1")));
        }
        assertThat(keys()).hasSize(3).allSatisfy(key -> assertThat(expiry(key)).isGreaterThan(MINUTE));
    }

    @Test
    void a_log_that_grows_into_a_ring_and_shrinks_again_expires_in_time() {
        ManualClock clock = ManualClock.atMicros(1_735_689_600_000_000L);
        try (RedisLimitEngine timed = timed(clock)) {
            Limiter limiter = timed.limiter("p", Limit.slidingWindow(700, MINUTE));
            // A window with many entries stores the older ones in a ring of blocks.
            // Rings of every size, charges of several entries, and an idle time in which all expire; three times.
            for (int round = 0; round < 3; round++) {
                for (int i = 0; i < 400; i++) {
                    pass(clock, Duration.ofMillis(170));
                    Decision decision = limiter.tryAcquire(PermitRequest.of("a").withPermits(1 + i % 7 * (i % 3)));
                    assertOutlives(decision.resetAfter());
                    assertThat(expiry(onlyKey())).isLessThan(longestExpiry(MINUTE));
                }
                pass(clock, MINUTE.multipliedBy(round + 1));
            }
        }
    }

    @Test
    void a_ring_that_is_written_in_parts_for_minutes_does_not_expire_too_early() {
        ManualClock clock = ManualClock.atMicros(1_735_689_600_000_000L);
        try (RedisLimitEngine timed = timed(clock)) {
            Limiter limiter = timed.limiter("p", Limit.slidingWindow(100, MINUTE));
            for (int i = 0; i < 800; i++) {
                pass(clock, Duration.ofMillis(650));
                Decision decision = limiter.tryAcquire("a");
                assertThat(decision.allowed()).isTrue();
                assertOutlives(decision.resetAfter());
            }
        }
    }

    @Test
    void a_key_under_two_limits_outlives_the_longer_window() {
        ManualClock clock = ManualClock.atMicros(1_735_689_600_000_000L);
        Duration day = Duration.ofDays(1);
        try (RedisLimitEngine timed = timed(clock)) {
            Limiter longer = timed.limiter("p", Limit.slidingWindow(1000, day));
            Limiter shorter = timed.limiter("p", Limit.slidingWindow(300, MINUTE));
            for (int i = 0; i < 500; i++) {
                pass(clock, Duration.ofMillis(400));
                Decision decision = (i % 2 == 0 ? longer : shorter).tryAcquire("a");
                assertThat(decision.allowed()).isTrue();
                if (i % 10 < 2) {
                    assertOutlives(longer.peek("a").resetAfter());
                    assertThat(expiry(onlyKey())).isLessThan(longestExpiry(day));
                }
            }
        }
    }

    @Test
    void a_charge_under_a_longer_window_prolongs_the_expiry() {
        for (List<Limit> pair : List.<List<Limit>>of(
                List.of(Limit.fixedWindow(50, MINUTE), Limit.fixedWindow(50, Duration.ofDays(2))),
                List.of(Limit.slidingWindow(50, MINUTE), Limit.slidingWindow(50, Duration.ofDays(2))),
                List.of(Limit.tokenBucket(50, 50, MINUTE), Limit.tokenBucket(50, 50, Duration.ofDays(2))),
                List.of(Limit.leakyBucket(50, 50, MINUTE), Limit.leakyBucket(50, 50, Duration.ofDays(2))),
                List.of(
                        Limit.calendarWindow(50, CalendarWindow.Unit.DAY, ZoneId.of("UTC")),
                        Limit.calendarWindow(50, CalendarWindow.Unit.MONTH, ZoneId.of("UTC"))))) {
            probe.flushAll();
            for (int i = 0; i < 20; i++) {
                limits.limiter("p", pair.get(0)).tryAcquire("a");
            }
            Decision decision = limits.limiter("p", pair.get(1)).tryAcquire("a");
            assertThat(decision.allowed()).isTrue();
            assertOutlives(decision.resetAfter());
        }
    }

    /** Advances the clock of the scripts, and shortens the expiries in Redis by the same time. */
    private void pass(ManualClock clock, Duration time) {
        clock.advance(time);
        for (String key : keys()) {
            probe.command("PEXPIRE", key, Long.toString(expiry(key).minus(time).toMillis()));
        }
    }

    private RedisLimitEngine timed(ManualClock clock) {
        return Engines.builder(REDIS.url()).time(clock).build();
    }

    private void assertOutlives(Duration resetAfter) {
        assertThat(expiry(onlyKey())).isGreaterThan(resetAfter.plus(MINUTE).minus(ELAPSED));
    }

    /** The longest expiry for a window: a tenth more, and four minutes. */
    private static Duration longestExpiry(Duration window) {
        return window.plus(window.dividedBy(10)).plusMinutes(4);
    }

    /** How long a charge can affect decisions. */
    private static Duration window(Limit limit) {
        if (limit instanceof FixedWindow fixed) {
            return fixed.window();
        }
        if (limit instanceof SlidingWindow sliding) {
            return sliding.window();
        }
        if (limit instanceof SlidingCounter counter) {
            return counter.window().multipliedBy(2);
        }
        if (limit instanceof CalendarWindow calendar) {
            return switch (calendar.unit()) {
                case DAY -> Duration.ofHours(25);
                case WEEK -> Duration.ofDays(8);
                case MONTH -> Duration.ofDays(31);
            };
        }
        if (limit instanceof LeakyBucket bucket) {
            return bucket.leakPeriod().multipliedBy(bucket.capacity()).dividedBy(bucket.leakPermits());
        }
        TokenBucket bucket = (TokenBucket) limit;
        return bucket.refillPeriod().multipliedBy(bucket.capacity()).dividedBy(bucket.refillPermits());
    }

    private String onlyKey() {
        assertThat(keys()).hasSize(1);
        return keys().get(0);
    }

    private List<String> keys() {
        return ((List<?>) Objects.requireNonNull(probe.command("KEYS", "*")))
                .stream().map(String::valueOf).toList();
    }

    private Duration expiry(String key) {
        return Duration.ofMillis((long) Objects.requireNonNull(probe.command("PTTL", key)));
    }
}
