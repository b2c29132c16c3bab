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
import io.headgate.limits.RuleDecision;
import io.headgate.limits.internal.decision.EngineDecisions;
import io.headgate.testkit.Await;
import io.headgate.testkit.ManualClock;
import java.time.Duration;
import java.time.Instant;
import java.time.ZoneOffset;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

/** A decision is refunded once, however often and from whichever process its refund is requested. */
class RefundOnceIT {

    @RegisterExtension
    final OwnRedis redis = new OwnRedis();

    private static final Duration HOUR = Duration.ofHours(1);
    private static final Duration LONG = Duration.ofSeconds(30);

    private final ManualClock clock = ManualClock.at(Instant.parse("2026-11-21T12:00:00Z"));
    private final RedisLimitEngine limits = engine().build();
    private final RedisLimitEngine other = engine().build();

    private RedisLimitEngine.Builder engine() {
        return Engines.builder(redis.url()).time(clock);
    }

    @AfterEach
    void close() {
        limits.close();
        other.close();
    }

    static Stream<Limit> limits_of_all_kinds() {
        return Stream.of(
                Limit.fixedWindow(100, HOUR),
                Limit.fixedWindow(100, HOUR).fromFirstRequest(),
                Limit.calendarWindow(100, CalendarWindow.Unit.DAY, ZoneOffset.UTC),
                Limit.slidingWindow(100, HOUR),
                Limit.slidingCounter(100, HOUR),
                Limit.tokenBucket(100, 7, HOUR),
                Limit.leakyBucket(100, 7, HOUR),
                Limit.leakyBucket(100, 7, HOUR).shaper());
    }

    /** Charges with the same instant, key and permits differ only in their ids. A batch can make such charges. */
    @ParameterizedTest
    @MethodSource("limits_of_all_kinds")
    void each_decision_of_one_instant_refunds_its_own_permits_once(Limit limit) {
        Limiter limiter = limits.limiter("p", limit);
        Decision first = limiter.tryAcquire(PermitRequest.of("a").withPermits(2));
        Decision second = limiter.tryAcquire(PermitRequest.of("a").withPermits(2));
        Decision third = limiter.tryAcquire(PermitRequest.of("a").withPermits(2));
        assertThat(first.decidedAt()).isEqualTo(third.decidedAt());

        assertThat(limiter.refund("a", first)).isEqualTo(2);
        assertThat(limiter.refund("a", first)).isZero();
        assertThat(other.limiter("p", limit).refund("a", first)).isZero();
        assertThat(limiter.peek("a").remaining()).isEqualTo(96);

        assertThat(other.limiter("p", limit).refund("a", second)).isEqualTo(2);
        assertThat(limiter.refund("a", second)).isZero();
        assertThat(limiter.refund("a", third)).isEqualTo(2);
        assertThat(limiter.peek("a").remaining()).isEqualTo(100);
    }

    @ParameterizedTest
    @MethodSource("limits_of_all_kinds")
    void later_charges_stay_charged(Limit limit) {
        Limiter limiter = limits.limiter("p", limit);
        Decision decision = limiter.tryAcquire(PermitRequest.of("a").withPermits(3));
        clock.advance(Duration.ofMillis(1));
        assertThat(limiter.refund("a", decision)).isEqualTo(3);
        limiter.tryAcquire(PermitRequest.of("a").withPermits(5));
        assertThat(limiter.refund("a", decision)).isZero();
        clock.advance(Duration.ofMillis(1));
        assertThat(limiter.refund("a", decision)).isZero();
        assertThat(limiter.peek("a").remaining()).isEqualTo(95);
        // Refunds without a decision return the oldest permits, and are not recorded.
        assertThat(limiter.refundOldest(PermitRequest.of("a").withPermits(2))).isEqualTo(2);
        assertThat(limiter.refundOldest(PermitRequest.of("a").withPermits(2))).isEqualTo(2);
    }

    @Test
    void a_decision_that_is_replayed_under_its_request_id_is_one_decision() {
        RequestId id = RequestId.of("order-4711");
        Limiter limiter = limits.limiter("p", Limit.fixedWindow(100, HOUR));
        Limiter otherLimiter = other.limiter("p", Limit.fixedWindow(100, HOUR));
        Decision first = limiter.tryAcquire(PermitRequest.of("a").withPermits(3).withId(id));
        Decision replayed =
                otherLimiter.tryAcquire(PermitRequest.of("a").withPermits(3).withId(id));
        limiter.tryAcquire(PermitRequest.of("a").withPermits(3).withId(RequestId.of("order-4712")));
        assertThat(replayed).isEqualTo(first).isNotSameAs(first);

        assertThat(otherLimiter.refund("a", replayed)).isEqualTo(3);
        assertThat(limiter.refund("a", first)).isZero();
        assertThat(limiter.refund(
                        "a",
                        otherLimiter.tryAcquire(
                                PermitRequest.of("a").withPermits(3).withId(id))))
                .isZero();
        assertThat(limiter.peek("a").remaining()).isEqualTo(97);

        // By default an engine keeps an id for a minute; then the id is that of a new request.
        clock.advance(Duration.ofSeconds(61));
        Decision later =
                otherLimiter.tryAcquire(PermitRequest.of("a").withPermits(3).withId(id));
        assertThat(later).isNotEqualTo(first);
        assertThat(limiter.refund("a", later)).isEqualTo(3);
        assertThat(otherLimiter.refund("a", later)).isZero();
    }

    @Test
    void permits_that_were_leased_together_are_refunded_once_by_each_decision() {
        Limiter limiter = limits.limiter("p", Limit.fixedWindow(100, HOUR));
        Decision lease = limiter.tryAcquire(PermitRequest.of("a").withPermits(10));
        Decision first = EngineDecisions.leased(lease, 1, 9);
        Decision second = EngineDecisions.leased(lease, 1, 8);
        assertThat(limiter.refund("a", first)).isEqualTo(1);
        assertThat(limiter.refund("a", first)).isZero();
        assertThat(limiter.refund("a", second)).isEqualTo(1);
        assertThat(limiter.peek("a").remaining()).isEqualTo(92);
    }

    /** The record of a refund is only needed until the window of its decision ends, even if the window of the policy becomes longer. */
    @Test
    void a_decision_is_refunded_until_its_own_window_ends_also_after_a_change_to_a_longer_one() {
        Limiter limiter = limits.limiter("p", Limit.slidingWindow(100, Duration.ofSeconds(10)));
        Decision early = limiter.tryAcquire(PermitRequest.of("a").withPermits(3));
        Decision late = limiter.tryAcquire(PermitRequest.of("a").withPermits(3));
        limiter.update(Policy.of("p", Limit.slidingWindow(100, HOUR), Attributes.KEY));
        clock.advance(Duration.ofSeconds(10).minusNanos(1000));
        assertThat(limiter.refund("a", early)).isEqualTo(3);
        clock.advance(Duration.ofNanos(1000));
        assertThat(limiter.refund("a", late)).isZero();
        assertThat(limiter.refund("a", early)).isZero();
        assertThat(limiter.peek("a").remaining()).isEqualTo(97);
    }

    @Test
    void of_two_concurrent_refunds_exactly_one_takes_effect() {
        Limiter limiter = limits.limiter("p", Limit.fixedWindow(10_000, HOUR));
        Limiter otherLimiter = other.limiter("p", Limit.fixedWindow(10_000, HOUR));
        List<CompletableFuture<Long>> first = new ArrayList<>();
        List<CompletableFuture<Long>> second = new ArrayList<>();
        for (int i = 0; i < 500; i++) {
            Decision decision = limiter.tryAcquire(PermitRequest.of("a").withPermits(2));
            first.add(limiter.async().refund("a", decision).toCompletableFuture());
            second.add(otherLimiter.async().refund("a", decision).toCompletableFuture());
        }
        for (int i = 0; i < 500; i++) {
            assertThat(first.get(i).join() + second.get(i).join()).isEqualTo(2);
        }
        assertThat(limiter.peek("a").remaining()).isEqualTo(10_000);
    }

    @Test
    void a_refund_whose_reply_was_lost_is_repeated_without_effect() {
        try (RedisLimitEngine cut = Engines.builder(redis.proxy.url()).build()) {
            Limiter limiter = cut.limiter("p", Limit.fixedWindow(100, HOUR).fromFirstRequest());
            // Loads the script.
            limiter.refund("a", limiter.tryAcquire("a"));
            Decision decision = limiter.tryAcquire(PermitRequest.of("a").withPermits(3));
            limiter.tryAcquire(PermitRequest.of("a").withPermits(3));

            redis.proxy.cutNextReplyTo("EVALSHA");
            assertThatThrownBy(() -> limiter.refund("a", decision))
                    .isInstanceOfSatisfying(LimiterException.class, failure -> assertThat(failure.mayBeCharged())
                            .isTrue());
            assertThat(refundOnceConnected(limiter, decision)).isZero();
            assertThat(limiter.peek("a").remaining()).isEqualTo(97);

            Decision other = limiter.tryAcquire(PermitRequest.of("a").withPermits(4));
            redis.proxy.cutNextRequestOf("EVALSHA");
            assertThatThrownBy(() -> limiter.refund("a", other)).isInstanceOf(LimiterException.class);
            assertThat(refundOnceConnected(limiter, other)).isEqualTo(4);
            assertThat(limiter.peek("a").remaining()).isEqualTo(97);
        }
    }

    /** Retries the refund until it is answered, as a caller would. */
    private static long refundOnceConnected(Limiter limiter, Decision decision) {
        List<Long> answers = new ArrayList<>();
        Await.until("the refund to be answered", LONG, () -> {
            try {
                return answers.add(limiter.refund("a", decision));
            } catch (LimiterException failure) {
                return false;
            }
        });
        return answers.get(0);
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void each_rule_is_refunded_once_also_in_several_slots(boolean separateCalls) {
        Policy policy = Policy.named("p")
                .rule("first", Limit.fixedWindow(100, HOUR), Attributes.KEY)
                .rule("second", Limit.tokenBucket(100, 7, HOUR), Attributes.KEY)
                .build();
        try (RedisLimitEngine engine = (separateCalls ? engine().oneSlotACall() : engine())
                .maxCachedDenials(0)
                .build()) {
            Limiter limiter = engine.limiter(policy);
            Decision decision = limiter.tryAcquire(PermitRequest.of("a").withPermits(3));
            limiter.tryAcquire(PermitRequest.of("a").withPermits(3));
            String id = Long.toUnsignedString(decision.chargeId(), 36);
            assertThat(limiter.refund("a", decision)).isEqualTo(3);
            assertThat(limiter.refund("a", decision)).isZero();
            assertThat(limiter.peek("a").rules())
                    .extracting(RuleDecision::remaining)
                    .containsExactly(97L, 97L);
            assertThat(redis.probe.command("EXISTS", "hg:rf:p:" + id)).isEqualTo(separateCalls ? 0L : 1L);
            assertThat(redis.probe.command("EXISTS", "hg:rf:{hg:fw:p:first:a}:" + id, "hg:rf:{hg:tb:p:second:a}:" + id))
                    .isEqualTo(separateCalls ? 2L : 0L);
        }
    }

    @Test
    void the_record_of_a_colocated_policy_is_in_its_slot() {
        Limiter limiter = limits.limiter(Policy.named("p")
                .colocate(Colocation.POLICY)
                .rule("limit", Limit.fixedWindow(100, HOUR), Attributes.KEY)
                .build());
        Decision decision = limiter.tryAcquire("a");
        limiter.refund("a", decision);
        assertThat(redis.probe.command("EXISTS", "hg:rf:{p}:" + Long.toUnsignedString(decision.chargeId(), 36)))
                .isEqualTo(1L);
    }

    /** A refund of an expired charge thus takes no memory. */
    @Test
    void a_refund_of_nothing_leaves_no_record() {
        Limiter limiter = limits.limiter("p", Limit.fixedWindow(100, HOUR));
        Decision decision = limiter.tryAcquire("a");
        limiter.reset("a");
        assertThat(limiter.refund("a", decision)).isZero();
        assertThat(redis.probe.command("DBSIZE")).isEqualTo(0L);
    }
}
