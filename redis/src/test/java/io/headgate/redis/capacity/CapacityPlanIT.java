package io.headgate.redis.capacity;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.withinPercentage;

import io.headgate.limits.Attributes;
import io.headgate.limits.CalendarWindow;
import io.headgate.limits.FixedWindow;
import io.headgate.limits.LeakyBucket;
import io.headgate.limits.Limit;
import io.headgate.limits.Policy;
import io.headgate.limits.Rule;
import io.headgate.testkit.RedisProbe;
import io.headgate.testkit.RedisServer;
import io.headgate.testkit.conditions.ServerVersionSensitive;
import java.time.Duration;
import java.time.ZoneOffset;
import java.util.stream.Stream;
import org.assertj.core.data.Percentage;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/** What a plan says is what a Redis shows that is filled and asked so, within 15 percent. */
class CapacityPlanIT {

    private static final Percentage CLOSE = withinPercentage(15);

    private static final RedisServer REDIS = RedisServer.startOwn();
    private static final String MALLOC_STATS = mallocStats();

    private static final Duration SECOND = Duration.ofSeconds(1);
    private static final Duration MINUTE = Duration.ofMinutes(1);
    private static final Duration HOUR = Duration.ofHours(1);

    @AfterAll
    static void stop() {
        REDIS.close();
    }

    static Stream<Arguments> full() {
        return Stream.of(
                Arguments.of(Limit.fixedWindow(5, MINUTE), 1500, 8),
                Arguments.of(new FixedWindow(5, HOUR, FixedWindow.Alignment.FIRST_REQUEST), 2500, 64),
                Arguments.of(Limit.calendarWindow(5, CalendarWindow.Unit.DAY, ZoneOffset.UTC), 2500, 36),
                Arguments.of(Limit.slidingCounter(5, MINUTE), 1500, 20),
                Arguments.of(Limit.tokenBucket(5, 5, MINUTE), 1500, 20),
                Arguments.of(new LeakyBucket(5, 5, MINUTE, LeakyBucket.Mode.SHAPER), 2000, 128),
                Arguments.of(Limit.slidingWindow(1, MINUTE), 3000, 8),
                Arguments.of(Limit.slidingWindow(5, SECOND), 1500, 36),
                Arguments.of(Limit.slidingWindow(16, HOUR), 1000, 8),
                Arguments.of(Limit.slidingWindow(30, Duration.ofDays(30)), 500, 36),
                Arguments.of(Limit.slidingWindow(100, MINUTE), 200, 16),
                Arguments.of(Limit.slidingWindow(1000, HOUR), 30, 128),
                Arguments.of(Limit.slidingWindow(10_000, MINUTE), 4, 8));
    }

    @ParameterizedTest
    @MethodSource("full")
    @ServerVersionSensitive
    void memory_when_all_windows_are_full(Limit limit, int ids, int idLength) {
        Policy policy = Policy.of("api", limit, Attributes.USER);
        try (Filled redis = new Filled(REDIS.url(), policy, idLength)) {
            // Three windows, in which each id asks as often as it may.
            double sustained = Sustained.permitsPerSecond(limit);
            Duration apart = Duration.ofNanos((long) (1.000001e9 / Math.min(1e6, sustained)) / 1000 * 1000 + 1000);
            redis.askInTurns(policy, ids, 3 * (int) limit.permits(), apart);
            CapacityPlan plan = plan(policy, ids, idLength, 1);
            assertThat(redis.keys()).isEqualTo(plan.peakKeys()).isEqualTo(ids);
            UsedMemory.assertPlanned(REDIS, redis.bytes(), (double) plan.peakBytes());
        }
    }

    static Stream<Arguments> asked() {
        return Stream.of(
                Arguments.of(Limit.fixedWindow(5, MINUTE), 20_000, 20.0),
                Arguments.of(Limit.fixedWindow(5, MINUTE), 3000, 40.0),
                Arguments.of(
                        new FixedWindow(20, Duration.ofMinutes(10), FixedWindow.Alignment.FIRST_REQUEST), 3000, 5.0),
                Arguments.of(Limit.slidingCounter(5, MINUTE), 8000, 30.0),
                Arguments.of(Limit.tokenBucket(10, 10, MINUTE), 3000, 20.0),
                Arguments.of(Limit.tokenBucket(10, 1, SECOND), 8000, 50.0),
                Arguments.of(Limit.leakyBucket(100, 1, MINUTE), 3000, 5.0),
                Arguments.of(Limit.slidingWindow(10, SECOND), 8000, 30.0),
                Arguments.of(Limit.slidingWindow(10, MINUTE), 3000, 100.0),
                Arguments.of(Limit.slidingWindow(10, MINUTE), 300, 100.0),
                Arguments.of(Limit.slidingWindow(100, MINUTE), 3000, 30.0),
                Arguments.of(Limit.slidingWindow(100, MINUTE), 500, 250.0),
                Arguments.of(Limit.slidingWindow(100, MINUTE), 500, 600.0),
                Arguments.of(Limit.slidingWindow(1000, MINUTE), 20, 130.0),
                Arguments.of(Limit.slidingWindow(1000, MINUTE), 20, 1000.0));
    }

    @ParameterizedTest
    @MethodSource("asked")
    void keys_memory_commands_and_bytes_when_ids_ask_at_random(Limit limit, int ids, double perSecond) {
        Policy policy = Policy.of("api", limit, Attributes.USER);
        try (Filled redis = new Filled(REDIS.url(), policy, 16)) {
            // Until keys come and go in equal number, and then some.
            int settled = (int) (perSecond
                    * Math.min(1500, 1.25 * KeyLife.of(limit, perSecond / ids).expirySeconds()));
            redis.askAtRandom(policy, ids, perSecond, settled);
            redis.count();
            redis.askAtRandom(policy, ids, perSecond, 10_000);
            CapacityPlan plan = plan(policy, ids, 16, perSecond);
            assertRequests(redis, plan);
            long tables = new RedisAllocation(plan.quantumBytes()).tables((double) redis.keys());
            redis.expire(limit);
            assertThat((double) redis.keys()).isCloseTo(plan.averageKeys(), CLOSE);
            UsedMemory.assertPlanned(
                    REDIS, redis.bytes() - tables, plan.averageBytes() - (double) plan.averageTableBytes());
        }
    }

    @Test
    void commands_and_bytes_of_a_policy_of_several_rules() {
        Policy policy = Policy.named("api")
                .rule("global", Limit.tokenBucket(2000, 1000, SECOND))
                .rule("per-user", Limit.slidingWindow(5, MINUTE), Attributes.USER)
                .rule(Rule.of("tried", Limit.fixedWindow(2, MINUTE), Attributes.IP)
                        .inShadow())
                .rule(Rule.of("attempts", Limit.slidingCounter(500, MINUTE), Attributes.IP)
                        .countingAttempts())
                .build();
        // Half of what users ask is denied.
        double perSecond = 20;
        try (Filled redis = new Filled(REDIS.url(), policy, 16)) {
            redis.askAtRandom(policy, 120, perSecond, 5000);
            redis.count();
            redis.askAtRandom(policy, 120, perSecond, 5000);
            assertRequests(redis, plan(policy, 120, 16, perSecond));
        }
    }

    static Stream<Arguments> attempts() {
        return Stream.of(
                Arguments.of(Limit.slidingWindow(5, MINUTE)),
                Arguments.of(Limit.slidingWindow(100, MINUTE)),
                Arguments.of(Limit.tokenBucket(5, 5, MINUTE)),
                Arguments.of(Limit.fixedWindow(5, MINUTE)),
                Arguments.of(Limit.slidingCounter(5, MINUTE)));
    }

    @ParameterizedTest
    @MethodSource("attempts")
    void commands_of_rules_under_which_attempts_count(Limit limit) {
        Policy policy = Policy.named("api")
                .rule(Rule.of("tries", limit, Attributes.USER).countingAttempts())
                .build();
        double perSecond = 20 * 3 * Sustained.permitsPerSecond(limit);
        try (Filled redis = new Filled(REDIS.url(), policy, 16)) {
            redis.askAtRandom(policy, 20, perSecond, 5000);
            redis.count();
            redis.askAtRandom(policy, 20, perSecond, 5000);
            assertRequests(redis, plan(policy, 20, 16, perSecond));
        }
    }

    static Stream<Arguments> withRequestIds() {
        Policy window = Policy.of("api", Limit.fixedWindow(1_000_000, MINUTE), Attributes.USER);
        Policy denying = Policy.of("api", Limit.tokenBucket(20, 1, SECOND), Attributes.USER);
        Policy several = Policy.named("api")
                .rule("per-user", Limit.fixedWindow(1_000_000, HOUR), Attributes.USER)
                .rule("per-ip", Limit.leakyBucket(1_000_000, 1_000_000, MINUTE), Attributes.IP)
                .build();
        return Stream.of(
                Arguments.of(window, 36),
                Arguments.of(window, 128),
                Arguments.of(denying, 8),
                Arguments.of(several, 22));
    }

    /** All of the horizon; a bucket admits half of what is asked. */
    @ParameterizedTest
    @MethodSource
    void withRequestIds(Policy policy, int idLength) {
        double perSecond = 4;
        try (Filled redis = new Filled(REDIS.url(), policy, 16)) {
            redis.count();
            redis.askWithRequestIds(policy, 2, idLength, perSecond, (int) (perSecond * Filled.HORIZON.toSeconds()));
            CapacityPlan plan = CapacityPlan.builder()
                    .policy(policy)
                    .ids(Attributes.USER, 2)
                    .ids(Attributes.IP, 2)
                    .idLength(16)
                    .requestsPerSecond(perSecond)
                    .requestIds(1, idLength, Filled.HORIZON)
                    .mallocStats(MALLOC_STATS)
                    .build();
            assertRequests(redis, plan);
            assertThat((double) redis.keys()).isCloseTo((double) plan.peakKeys(), CLOSE);
            UsedMemory.assertPlanned(REDIS, redis.bytes(), (double) plan.peakBytes());
        }
    }

    private static String mallocStats() {
        try (RedisProbe probe = RedisProbe.of(REDIS.url())) {
            return String.valueOf(probe.command("MEMORY", "MALLOC-STATS"));
        }
    }

    private static void assertRequests(Filled redis, CapacityPlan plan) {
        double perSecond = plan.roundTripsPerSecond();
        // First, as it also counts the commands that read the others.
        assertThat(redis.bytesInPerRequest()).isCloseTo(plan.bytesInPerSecond() / perSecond, CLOSE);
        assertThat(redis.bytesOutPerRequest()).isCloseTo(plan.bytesOutPerSecond() / perSecond, CLOSE);
        assertThat(redis.commandsPerRequest()).isCloseTo(plan.commandsPerSecond() / perSecond, CLOSE);
    }

    private static CapacityPlan plan(Policy policy, int ids, int idLength, double perSecond) {
        return CapacityPlan.builder()
                .policy(policy)
                .ids(Attributes.USER, ids)
                .ids(Attributes.IP, ids)
                .idLength(idLength)
                .requestsPerSecond(perSecond)
                .mallocStats(MALLOC_STATS)
                .build();
    }
}
