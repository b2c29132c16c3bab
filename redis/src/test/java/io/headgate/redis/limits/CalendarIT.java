package io.headgate.redis.limits;

import static org.assertj.core.api.Assertions.assertThat;

import io.headgate.limits.Attributes;
import io.headgate.limits.CalendarWindow;
import io.headgate.limits.Decision;
import io.headgate.limits.Limit;
import io.headgate.limits.Limiter;
import io.headgate.limits.PermitRequest;
import io.headgate.limits.Policy;
import io.headgate.limits.RuleDecision;
import io.headgate.testkit.ManualClock;
import io.headgate.testkit.RedisServer;
import io.headgate.testkit.faults.FaultProxy;
import java.time.Duration;
import java.time.Instant;
import java.time.ZoneId;
import java.time.temporal.ChronoUnit;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * A client whose clock is wrong by days first sends Redis the wrong calendar periods. It then resends the request once with
 * the right ones, and nothing is charged or refunded twice.
 *
 * <p>Only the clock at the creation of a limiter is wrong; afterwards the client uses Redis's time.
 */
class CalendarIT {

    private static final RedisServer REDIS = RedisServer.shared();
    private static final Instant NOW = Instant.parse("2026-10-25T12:00:00Z");
    private static final Policy POLICY = Policy.named("calendar")
            .rule("before", Limit.fixedWindow(10, Duration.ofHours(1)), Attributes.KEY)
            .rule("day", Limit.calendarWindow(10, CalendarWindow.Unit.DAY, ZoneId.of("Europe/Berlin")), Attributes.KEY)
            .rule("after", Limit.slidingWindow(10, Duration.ofHours(1)), Attributes.KEY)
            .rule("month", Limit.calendarWindow(10, CalendarWindow.Unit.MONTH, ZoneId.of("Asia/Tokyo")), Attributes.KEY)
            .build();

    @RegisterExtension
    static final LeavesNothingBehind NOTHING_BEHIND = LeavesNothingBehind.in(REDIS.url(), "calendar:*");

    private final ManualClock clock = ManualClock.at(NOW);
    private final FaultProxy proxy = FaultProxy.before(REDIS.url());
    private final RedisLimitEngine limits = Engines.builder(
                    Engines.settings(proxy.url()).withKeyPrefix("calendar"))
            .time(clock)
            .build();

    @AfterEach
    void close() {
        limits.close();
        proxy.close();
    }

    @ParameterizedTest
    @ValueSource(ints = {-4000, -400, -10, -3, -2, 2, 3, 10, 400, 4000})
    void a_client_with_a_wrong_clock_sends_its_first_request_twice_and_is_charged_once(int daysWrong) {
        String id = "acquire" + daysWrong;
        forget(id);
        Limiter limiter = limiterWithClockOffBy(daysWrong);
        assertRemaining(limiter.tryAcquire(PermitRequest.of(id).withPermits(3)), 7);
        assertThat(commands()).isEqualTo(2);
        assertRemaining(limiter.tryAcquire(id), 6);
        assertThat(commands()).isEqualTo(3);
    }

    @ParameterizedTest
    @ValueSource(ints = {-400, -3, 3, 400})
    void a_client_with_a_wrong_clock_sends_its_first_peek_twice(int daysWrong) {
        String id = "peek" + daysWrong;
        forget(id);
        limiterWithClockOffBy(0).tryAcquire(PermitRequest.of(id).withPermits(4));
        long before = commands();
        Limiter limiter = limiterWithClockOffBy(daysWrong);
        assertRemaining(limiter.peek(id), 6);
        assertThat(commands()).isEqualTo(before + 2);
        assertRemaining(limiter.peek(id), 6);
        assertThat(commands()).isEqualTo(before + 3);
    }

    @ParameterizedTest
    @ValueSource(ints = {-400, -3, 3, 400})
    void a_client_with_a_wrong_clock_sends_its_first_refund_twice_and_refunds_once(int daysWrong) {
        String id = "refund" + daysWrong;
        forget(id);
        Limiter right = limiterWithClockOffBy(0);
        right.tryAcquire(PermitRequest.of(id).withPermits(5));
        clock.advance(Duration.ofSeconds(1));
        Decision decision = right.tryAcquire(PermitRequest.of(id).withPermits(2));
        long before = commands();
        Limiter limiter = limiterWithClockOffBy(daysWrong);
        assertThat(limiter.refundOldest(PermitRequest.of(id))).isEqualTo(1);
        assertThat(commands()).isEqualTo(before + 2);
        assertThat(limiter.refund(id, decision)).isEqualTo(2);
        assertThat(commands()).isEqualTo(before + 3);
        assertRemaining(right.peek(id), 6);
    }

    /** The periods of the last charge are then in the future, and only the key in Redis has them. */
    @ParameterizedTest
    @ValueSource(ints = {3, 40, 400})
    void a_charge_still_counts_after_the_clock_of_redis_is_set_back_by_days(int days) {
        String id = "back" + days;
        forget(id);
        clock.advance(Duration.ofDays(days));
        limiterWithClockOffBy(0).tryAcquire(PermitRequest.of(id).withPermits(5));
        clock.setMicros(ChronoUnit.MICROS.between(Instant.EPOCH, NOW));
        assertThat(limiterWithClockOffBy(0).refundOldest(PermitRequest.of(id))).isEqualTo(1);
        assertRemaining(limiterWithClockOffBy(0).tryAcquire(id), 5);
        assertRemaining(limiterWithClockOffBy(0).peek(id), 5);
    }

    private Limiter limiterWithClockOffBy(int days) {
        long now = clock.nowMicros();
        clock.setMicros(now + Duration.ofDays(days).toMillis() * 1000);
        Limiter limiter = limits.limiter(POLICY);
        clock.setMicros(now);
        return limiter;
    }

    private void forget(String id) {
        try (RedisLimitEngine others = Engines.builder(
                        Engines.settings(REDIS.url()).withKeyPrefix("calendar"))
                .time(clock)
                .build()) {
            others.limiter(POLICY).reset(id);
        }
    }

    private long commands() {
        return proxy.commandsSeen("EVALSHA") + proxy.commandsSeen("EVAL");
    }

    private static void assertRemaining(Decision decision, long remaining) {
        assertThat(decision.rules().stream().map(RuleDecision::remaining).toList())
                .isEqualTo(List.of(remaining, remaining, remaining, remaining));
    }
}
