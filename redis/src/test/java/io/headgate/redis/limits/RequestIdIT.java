package io.headgate.redis.limits;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.headgate.limits.Attributes;
import io.headgate.limits.CalendarWindow;
import io.headgate.limits.Colocation;
import io.headgate.limits.Decision;
import io.headgate.limits.Limit;
import io.headgate.limits.Limiter;
import io.headgate.limits.LimiterException;
import io.headgate.limits.PermitRequest;
import io.headgate.limits.Policy;
import io.headgate.limits.RequestId;
import io.headgate.limits.RequestIdReusedException;
import io.headgate.limits.Rule;
import io.headgate.testkit.ManualClock;
import io.headgate.testkit.RedisProbe;
import java.time.Duration;
import java.time.Instant;
import java.time.ZoneOffset;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.RegisterExtension;

/** A request with an id is charged once, whichever process retries it. */
@Timeout(180)
class RequestIdIT {

    @RegisterExtension
    final OwnRedis redis = new OwnRedis();

    private static final Duration MINUTE = Duration.ofMinutes(1);
    private static final Policy FIVE = Policy.of("five", Limit.slidingWindow(5, MINUTE), Attributes.USER);
    private static final RequestId ORDER = RequestId.of("order 17");
    private static final PermitRequest ALICE = PermitRequest.of("alice").withId(ORDER);
    private static final String ORDER_KEY = "hg:id:five:order%2017";

    private final RedisProbe probe = redis.probe;
    private final RedisLimitEngine limits = redis.limits().build();
    private final RedisLimitEngine others = redis.limits().build();
    private final Limiter limiter = limits.limiter(FIVE);

    @AfterEach
    void close() {
        limits.close();
        others.close();
    }

    @Test
    void the_same_id_gets_the_same_decision_from_every_engine_and_charges_nothing_more() {
        Decision first = limiter.tryAcquire(ALICE.withPermits(2));
        assertThat(first.remaining()).isEqualTo(3);
        limiter.tryAcquire(PermitRequest.of("alice").withPermits(3));
        assertThat(limiter.tryAcquire(ALICE.withPermits(2))).isEqualTo(first);
        assertThat(others.limiter(FIVE).tryAcquire(ALICE.withPermits(2))).isEqualTo(first);
        assertThat(limiter.peek("alice").remaining()).isZero();
    }

    @Test
    void only_try_acquire_of_a_rate_limiter_accepts_an_id() {
        for (ThrowingCallable call : List.<ThrowingCallable>of(
                () -> limiter.acquire(ALICE, MINUTE),
                () -> limiter.async().acquire(ALICE, MINUTE),
                () -> limiter.peek(ALICE),
                () -> limiter.async().peek(ALICE),
                () -> limiter.refundOldest(ALICE),
                () -> limiter.async().refundOldest(ALICE),
                () -> limits.inFlight("exports", 1).tryAcquire(ALICE))) {
            assertThatThrownBy(call)
                    .isInstanceOf(IllegalArgumentException.class)
                    .hasMessageContaining("accepts no request id, but was given \"order 17\"");
        }
    }

    @Test
    void concurrent_requests_with_the_same_id_are_charged_once() {
        List<CompletableFuture<Decision>> calls = new ArrayList<>();
        for (int i = 0; i < 100; i++) {
            RedisLimitEngine engine = i % 2 == 0 ? limits : others;
            calls.add(engine.limiter(FIVE).async().tryAcquire(ALICE).toCompletableFuture());
        }
        assertThat(new HashSet<>(calls.stream().map(CompletableFuture::join).toList()))
                .hasSize(1);
        assertThat(limiter.peek("alice").remaining()).isEqualTo(4);
    }

    @Test
    void a_request_with_an_id_is_decided_after_earlier_requests() {
        List<CompletableFuture<Decision>> calls = new ArrayList<>();
        for (int i = 0; i < 4; i++) {
            calls.add(limiter.async().tryAcquire("alice").toCompletableFuture());
        }
        calls.add(limiter.async().tryAcquire(ALICE).toCompletableFuture());
        calls.add(limiter.async().tryAcquire("alice").toCompletableFuture());
        assertThat(calls.stream().map(CompletableFuture::join).map(Decision::allowed))
                .containsExactly(true, true, true, true, true, false);
    }

    @Test
    void the_retry_of_an_admitted_request_is_not_denied_from_the_cache() {
        // The time stands still, so that the cached denial is not checked in Redis again.
        ManualClock clock = ManualClock.at(Instant.parse("2026-11-29T10:00:00Z"));
        try (RedisLimitEngine one = redis.limits().time(clock).build();
                RedisLimitEngine other = redis.limits().time(clock).build()) {
            Limiter five = one.limiter(FIVE);
            PermitRequest request = PermitRequest.of("alice").withPermits(5);
            Decision first = other.limiter(FIVE).tryAcquire(ALICE.withPermits(5));
            assertThat(five.tryAcquire(request).denied()).isTrue();
            assertThat(five.tryAcquire(request).basis()).isEqualTo(Decision.Basis.CACHED_DENIAL);
            assertThat(five.tryAcquire(ALICE.withPermits(5))).isEqualTo(first);
        }
    }

    @Test
    void a_denial_that_charged_nothing_is_decided_again() {
        limiter.tryAcquire(PermitRequest.of("alice").withPermits(5));
        assertThat(limiter.tryAcquire(ALICE).denied()).isTrue();
        assertThat(probe.command("EXISTS", ORDER_KEY)).isEqualTo(0L);
        limiter.reset("alice");
        assertThat(limiter.tryAcquire(ALICE).allowed()).isTrue();
    }

    @Test
    void a_retried_attempt_is_counted_once() {
        Limiter logins = limits.limiter(Policy.named("logins")
                .rule(Rule.of("attempts", Limit.fixedWindow(1, MINUTE)).countingAttempts())
                .rule("closed", Limit.fixedWindow(0, MINUTE))
                .rule(Rule.of("many", Limit.slidingWindow(10, MINUTE)).countingAttempts())
                .build());
        Decision first = logins.tryAcquire(PermitRequest.global().withId(ORDER));
        assertThat(first.denied()).isTrue();
        assertThat(logins.tryAcquire(PermitRequest.global().withId(ORDER))).isEqualTo(first);
        assertThat(logins.peek(PermitRequest.global()).rules().get(2).remaining())
                .isEqualTo(9);
    }

    @Test
    void an_id_of_another_request_is_rejected_and_charges_nothing() {
        limiter.tryAcquire(ALICE);
        assertThatThrownBy(() -> limiter.tryAcquire(ALICE.withPermits(2)))
                .isInstanceOf(RequestIdReusedException.class)
                .hasMessage("request id \"order 17\" of policy five was used for other permits or dimension values;"
                        + " nothing was charged");
        assertThatThrownBy(() -> limiter.tryAcquire(PermitRequest.of("bob").withId(ORDER)))
                .isInstanceOf(RequestIdReusedException.class);
        assertThat(limiter.peek("alice").remaining()).isEqualTo(4);
        assertThat(limiter.peek("bob").remaining()).isEqualTo(5);
        Limiter another = limits.limiter(Policy.of("another", Limit.slidingWindow(5, MINUTE), Attributes.USER));
        assertThat(another.tryAcquire(PermitRequest.of("bob").withPermits(2).withId(ORDER))
                        .allowed())
                .isTrue();
    }

    @Test
    void a_request_that_was_decided_by_other_rules_is_not_charged_again() {
        limiter.tryAcquire(ALICE);
        limiter.update(Policy.of("five", Limit.slidingWindow(6, MINUTE), Attributes.USER));
        assertThatThrownBy(() -> limiter.tryAcquire(ALICE))
                .isInstanceOfSatisfying(LimiterException.class, failure -> assertThat(failure.mayBeCharged())
                        .isTrue())
                .hasMessageContaining("was decided by another version of the policy; it is not charged again");
        assertThat(limiter.peek("alice").remaining()).isEqualTo(5);
    }

    @Test
    void an_id_is_charged_again_after_the_horizon() {
        ManualClock clock = ManualClock.atMicros(1_735_689_600_000_000L);
        try (RedisLimitEngine timed = Engines.builder(redis.url())
                .time(clock)
                .requestIdHorizon(Duration.ofSeconds(30))
                .build()) {
            Limiter timedLimiter = timed.limiter(FIVE);
            Decision first = timedLimiter.tryAcquire(ALICE);
            clock.advance(Duration.ofSeconds(30).minusNanos(1000));
            assertThat(timedLimiter.tryAcquire(ALICE)).isEqualTo(first);
            assertThat(expiryMillis()).isBetween(1L, 30_000L);
            clock.advance(Duration.ofNanos(1000));
            assertThat(timedLimiter.tryAcquire(ALICE).remaining()).isEqualTo(3);
        }
    }

    private long expiryMillis() {
        return (long) Objects.requireNonNull(probe.command("PTTL", ORDER_KEY));
    }

    @Test
    void the_key_of_an_id_is_small_and_in_the_slot_of_a_colocated_policy() {
        limiter.tryAcquire(PermitRequest.of("alice").withId(RequestId.of("01234567-89ab-cdef-0123-456789abcdef")));
        String key = "hg:id:five:01234567-89ab-cdef-0123-456789abcdef";
        assertThat(probe.command("STRLEN", key)).isEqualTo(41L);
        assertThat((long) Objects.requireNonNull(probe.command("MEMORY", "USAGE", key)))
                .isLessThanOrEqualTo(200);
        Policy colocated = Policy.named("t")
                .rule("limit", Limit.fixedWindow(5, MINUTE))
                .colocate(Colocation.POLICY)
                .build();
        limits.limiter(colocated).tryAcquire(PermitRequest.global().withId(ORDER));
        assertThat(probe.command("EXISTS", "hg:id:{t}:order%2017")).isEqualTo(1L);
    }

    @Test
    void a_foreign_value_in_the_key_of_an_id_causes_an_error_and_charges_nothing() {
        probe.command("SADD", ORDER_KEY, "a");
        assertForeign();
        probe.command("DEL", ORDER_KEY);
        probe.command("SET", ORDER_KEY, "short", "EX", "60");
        assertForeign();
        probe.command("DEL", ORDER_KEY);
        assertThat(limiter.peek("alice").remaining()).isEqualTo(5);
    }

    private void assertForeign() {
        assertThatThrownBy(() -> limiter.tryAcquire(ALICE))
                .isInstanceOfSatisfying(LimiterException.class, failure -> assertThat(failure.mayBeCharged())
                        .isFalse())
                .hasMessageContaining("nothing was charged");
    }

    @Test
    void a_request_that_is_resent_with_later_calendar_periods_is_charged_once() {
        ManualClock clock = ManualClock.atMicros(1_735_689_600_000_000L);
        try (RedisLimitEngine timed = Engines.builder(redis.url()).time(clock).build()) {
            Limiter daily = timed.limiter("day", Limit.calendarWindow(5, CalendarWindow.Unit.DAY, ZoneOffset.UTC));
            clock.advance(Duration.ofDays(100));
            Decision first = daily.tryAcquire(ALICE);
            assertThat(first.remaining()).isEqualTo(4);
            assertThat(daily.tryAcquire(ALICE)).isEqualTo(first);
        }
    }

    @Test
    void a_request_without_an_id_leaves_no_key_for_one() {
        limiter.tryAcquire("alice");
        assertThat(probe.command("KEYS", "hg:id:*")).isEqualTo(List.of());
    }
}
