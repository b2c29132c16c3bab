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

/** The figures of a plan are within 15 percent of those measured in a Redis that receives the planned requests. */
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

    static Stream<Arguments> fullWindows() {
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
    @MethodSource("fullWindows")
    @ServerVersionSensitive
    void planned_peak_memory_matches_redis_when_all_windows_are_full(Limit limit, int ids, int idLength) {
        Policy policy = Policy.of("api", limit, Attributes.USER);
        try (MeasuredLimits redis = new MeasuredLimits(REDIS.url(), policy, idLength)) {
            // Each id makes as many requests as its limit admits in three windows, slightly slower than it refills.
            double sustained = Sustained.permitsPerSecond(limit);
            Duration interval = Duration.ofNanos((long) (1.000001e9 / Math.min(1e6, sustained)) / 1000 * 1000 + 1000);
            redis.requestInTurns(policy, ids, 3 * (int) limit.permits(), interval);
            CapacityPlan plan = plan(policy, ids, idLength, 1);
            assertThat(redis.keys()).isEqualTo(plan.peakKeys()).isEqualTo(ids);
            UsedMemory.assertPlanned(REDIS, redis.bytes(), (double) plan.peakBytes());
        }
    }

    static Stream<Arguments> randomRequests() {
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
    @MethodSource("randomRequests")
    void planned_keys_memory_commands_and_bytes_match_redis_for_random_requests(
            Limit limit, int ids, double perSecond) {
        Policy policy = Policy.of("api", limit, Attributes.USER);
        try (MeasuredLimits redis = new MeasuredLimits(REDIS.url(), policy, 16)) {
            // Until as many keys expire as are created, and some time longer, but at most 1500 seconds.
            int warmUpRequests = (int) (perSecond
                    * Math.min(1500, 1.25 * KeyLife.of(limit, perSecond / ids).expirySeconds()));
            redis.requestAtRandom(policy, ids, perSecond, warmUpRequests);
            redis.startMeasuring();
            redis.requestAtRandom(policy, ids, perSecond, 10_000);
            CapacityPlan plan = plan(policy, ids, 16, perSecond);
            assertRequests(redis, plan);
            // Hash tables are left out of the comparison, as they have room for the expired keys, too.
            long tables = new RedisAllocation(plan.quantumBytes()).tables((double) redis.keys());
            redis.removeExpired(limit);
            assertThat((double) redis.keys()).isCloseTo(plan.averageKeys(), CLOSE);
            UsedMemory.assertPlanned(
                    REDIS, redis.bytes() - tables, plan.averageBytes() - (double) plan.averageTableBytes());
        }
    }

    @Test
    void planned_commands_and_bytes_match_redis_for_a_policy_of_several_rules() {
        Policy policy = Policy.named("api")
                .rule("global", Limit.tokenBucket(2000, 1000, SECOND))
                .rule("per-user", Limit.slidingWindow(5, MINUTE), Attributes.USER)
                .rule(Rule.of("tried", Limit.fixedWindow(2, MINUTE), Attributes.IP)
                        .inShadow())
                .rule(Rule.of("attempts", Limit.slidingCounter(500, MINUTE), Attributes.IP)
                        .countingAttempts())
                .build();
        // Half of the requests of each user are denied.
        double perSecond = 20;
        try (MeasuredLimits redis = new MeasuredLimits(REDIS.url(), policy, 16)) {
            redis.requestAtRandom(policy, 120, perSecond, 5000);
            redis.startMeasuring();
            redis.requestAtRandom(policy, 120, perSecond, 5000);
            assertRequests(redis, plan(policy, 120, 16, perSecond));
        }
    }

    static Stream<Arguments> limitsThatCountAttempts() {
        return Stream.of(
                Arguments.of(Limit.slidingWindow(5, MINUTE)),
                Arguments.of(Limit.slidingWindow(100, MINUTE)),
                Arguments.of(Limit.tokenBucket(5, 5, MINUTE)),
                Arguments.of(Limit.fixedWindow(5, MINUTE)),
                Arguments.of(Limit.slidingCounter(5, MINUTE)));
    }

    @ParameterizedTest
    @MethodSource("limitsThatCountAttempts")
    void planned_commands_and_bytes_match_redis_for_rules_that_count_attempts(Limit limit) {
        Policy policy = Policy.named("api")
                .rule(Rule.of("tries", limit, Attributes.USER).countingAttempts())
                .build();
        double perSecond = 20 * 3 * Sustained.permitsPerSecond(limit);
        try (MeasuredLimits redis = new MeasuredLimits(REDIS.url(), policy, 16)) {
            redis.requestAtRandom(policy, 20, perSecond, 5000);
            redis.startMeasuring();
            redis.requestAtRandom(policy, 20, perSecond, 5000);
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

    /** Sends requests for as long as Redis keeps request ids; the token bucket admits half of them. */
    @ParameterizedTest
    @MethodSource("withRequestIds")
    void planned_commands_bytes_keys_and_memory_match_redis_for_requests_with_ids(Policy policy, int requestIdLength) {
        double perSecond = 4;
        try (MeasuredLimits redis = new MeasuredLimits(REDIS.url(), policy, 16)) {
            redis.startMeasuring();
            redis.requestWithIds(
                    policy, 2, requestIdLength, perSecond, (int) (perSecond * MeasuredLimits.HORIZON.toSeconds()));
            CapacityPlan plan = CapacityPlan.builder()
                    .policy(policy)
                    .ids(Attributes.USER, 2)
                    .ids(Attributes.IP, 2)
                    .idLength(16)
                    .requestsPerSecond(perSecond)
                    .requestIds(1, requestIdLength, MeasuredLimits.HORIZON)
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

    private static void assertRequests(MeasuredLimits redis, CapacityPlan plan) {
        double perSecond = plan.roundTripsPerSecond();
        // Read first: reading the other counters adds bytes, too.
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
