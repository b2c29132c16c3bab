package io.headgate.redis.capacity;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.withinPercentage;

import io.headgate.limits.Attributes;
import io.headgate.limits.Hold;
import io.headgate.limits.InFlightPolicy;
import io.headgate.redis.limits.Engines;
import io.headgate.redis.limits.RedisLimitEngine;
import io.headgate.testkit.Await;
import io.headgate.testkit.RedisProbe;
import io.headgate.testkit.RedisServer;
import io.headgate.testkit.conditions.ServerVersionSensitive;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.assertj.core.data.Percentage;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/** A plan of in-flight limits is within 15 percent of a Redis in which holds are acquired and released as planned. */
@ServerVersionSensitive
class InFlightPlanIT {

    private static final Percentage CLOSE = withinPercentage(15);
    private static final int REQUESTS = 2_500;

    private static final RedisServer REDIS = RedisServer.startOwn();
    private static final String MALLOC_STATS = mallocStats();

    @AfterAll
    static void stop() {
        REDIS.close();
    }

    static Stream<Arguments> randomTakes() {
        return Stream.of(
                // Hardly any request is denied.
                Arguments.of(policy(5), 300, 250.0),
                // Two fifths are denied.
                Arguments.of(policy(2), 100, 200.0),
                // Nearly all are denied.
                Arguments.of(policy(3), 5, 300.0),
                // No request is denied, and keys are large.
                Arguments.of(policy(600), 2, 400.0),
                // Both rules deny requests.
                Arguments.of(
                        InFlightPolicy.named("exports")
                                .rule("global", 100)
                                .rule("per-user", 3, Attributes.USER)
                                .build(),
                        50,
                        120.0));
    }

    @ParameterizedTest
    @MethodSource("randomTakes")
    void planned_holds_keys_commands_and_memory_match_redis_for_random_takes(
            InFlightPolicy policy, int ids, double perSecond) {
        Duration held = Duration.ofSeconds(1);
        try (MeasuredHolds redis = new MeasuredHolds(REDIS.url(), policy)) {
            redis.takeAtRandom(ids, perSecond, held, 2 * (int) perSecond);
            redis.startMeasuring();
            redis.takeAtRandom(ids, perSecond, held, REQUESTS);
            CapacityPlan plan = plan(policy, held, ids, perSecond, MALLOC_STATS);
            InFlightCapacity holds = plan.inFlight().get(0);
            double takes = holds.acquiresPerSecond();
            assertThat(redis.bytesInPerTake()).isCloseTo(plan.bytesInPerSecond() / takes, CLOSE);
            assertThat(redis.bytesOutPerTake()).isCloseTo(plan.bytesOutPerSecond() / takes, CLOSE);
            assertThat(redis.commandsPerTake()).isCloseTo(plan.commandsPerSecond() / takes, CLOSE);
            assertThat(redis.admittedShare()).isCloseTo(holds.admittedShare(), CLOSE);
            assertThat(redis.meanHeld()).isCloseTo(holds.heldPermits(), CLOSE);
            assertThat(redis.meanKeys()).isCloseTo(plan.averageKeys(), CLOSE);
            // Memory depends on the number of holds at this instant, not on the mean.
            double shareOfMean = redis.held() / holds.heldPermits();
            UsedMemory.assertPlanned(REDIS, redis.bytes(), plan.averageBytes() * shareOfMean);
        }
    }

    static Stream<Arguments> allPermitsHeld() {
        return Stream.of(Arguments.of(policy(1), 500), Arguments.of(policy(20), 50), Arguments.of(policy(500), 10));
    }

    @ParameterizedTest
    @MethodSource("allPermitsHeld")
    void planned_peak_keys_and_memory_match_redis_when_all_permits_are_held(InFlightPolicy policy, int ids) {
        try (MeasuredHolds redis = new MeasuredHolds(REDIS.url(), policy)) {
            redis.fill(ids, (int) policy.rules().get(0).permits());
            CapacityPlan plan = plan(policy, Duration.ofSeconds(1), ids, 100, MALLOC_STATS);
            assertThat(redis.keys()).isEqualTo(plan.peakKeys()).isEqualTo(ids);
            UsedMemory.assertPlanned(REDIS, redis.bytes(), (double) plan.peakBytes());
        }
    }

    /** With the real clock, so that the engine renews at the interval that the plan assumes. */
    @Test
    void renewals_of_many_holds_share_a_call() {
        int held = 1000;
        InFlightPolicy policy = InFlightPolicy.named("exports")
                .rule("per-user", 100, Attributes.USER)
                .lease(Duration.ofSeconds(3))
                .build();
        List<Hold> holds = new ArrayList<>();
        try (RedisProbe probe = RedisProbe.of(REDIS.url());
                RedisLimitEngine limits =
                        Engines.builder(REDIS.url()).invalidations(false).build()) {
            for (int i = 0; i < held; i++) {
                holds.add(limits.inFlight(policy).tryAcquire("%016d".formatted(i % 40)));
            }
            long taken = zaddCalls(probe);
            Await.until("every hold was renewed", Duration.ofSeconds(20), () -> zaddCalls(probe) >= taken + held);
            Map<String, Long> before = probe.commandCalls();
            Await.until(
                    "every hold was renewed again",
                    Duration.ofSeconds(20),
                    () -> zaddCalls(probe) >= taken + 2L * held);
            Map<String, Long> after = probe.commandCalls();
            assertThat(holds).allMatch(hold -> hold.allowed() && !hold.isLost());

            // Each hold lasts an hour, so nearly all planned calls are renewals.
            CapacityPlan plan = plan(policy, Duration.ofHours(1), 40, held / 3600.0, "");
            InFlightCapacity planned = plan.inFlight().get(0);
            assertThat(planned.renewalsPerSecond()).isCloseTo(held, withinPercentage(1));
            double calls = delta(before, after, "EVALSHA");
            assertThat(delta(before, after, "ZADD") / calls)
                    .isCloseTo(planned.renewalsPerSecond() / planned.renewingCallsPerSecond(), CLOSE);
            assertThat(delta(before, after, "PTTL") / calls).isCloseTo(40, CLOSE);
            double commands = delta(before, after, "EVALSHA")
                    + delta(before, after, "TIME")
                    + delta(before, after, "ZSCORE")
                    + delta(before, after, "ZADD")
                    + delta(before, after, "PTTL");
            assertThat(commands / calls)
                    .isCloseTo(planned.commandsPerSecond() / planned.renewingCallsPerSecond(), CLOSE);
        }
    }

    private static String mallocStats() {
        try (RedisProbe probe = RedisProbe.of(REDIS.url())) {
            return String.valueOf(probe.command("MEMORY", "MALLOC-STATS"));
        }
    }

    private static double delta(Map<String, Long> before, Map<String, Long> after, String command) {
        return after.getOrDefault(command, 0L) - before.getOrDefault(command, 0L);
    }

    private static long zaddCalls(RedisProbe probe) {
        return probe.commandCalls().getOrDefault("ZADD", 0L);
    }

    private static InFlightPolicy policy(long permits) {
        return InFlightPolicy.of("exports", permits, Attributes.USER);
    }

    private static CapacityPlan plan(
            InFlightPolicy policy, Duration held, int ids, double perSecond, String mallocStats) {
        return CapacityPlan.builder()
                .inFlight(policy, held)
                .ids(Attributes.USER, ids)
                .requestsPerSecond(perSecond)
                .mallocStats(mallocStats)
                .build();
    }
}
