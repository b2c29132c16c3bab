package io.headgate.redis.limits;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import io.headgate.limits.Attributes;
import io.headgate.limits.CalendarWindow;
import io.headgate.limits.Decision;
import io.headgate.limits.Limit;
import io.headgate.limits.Limiter;
import io.headgate.limits.PermitRequest;
import io.headgate.limits.Policy;
import io.headgate.limits.Rule;
import io.headgate.limits.RuleDecision;
import io.headgate.limits.internal.decision.EngineDecision;
import io.headgate.testkit.ManualClock;
import io.headgate.testkit.RedisProbe;
import java.time.Duration;
import java.time.Instant;
import java.time.ZoneOffset;
import java.util.List;
import java.util.Objects;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;

/** A refund changes neither the other charges of a key nor the expiry of the key. */
class RefundIT {

    @RegisterExtension
    final OwnRedis redis = new OwnRedis();

    private static final long NO_KEY = -2;
    private static final Attributes ALICE = Attributes.of(Attributes.KEY, "a");

    private final RedisProbe probe = redis.probe;
    private final ManualClock clock = ManualClock.at(Instant.parse("2026-11-21T12:00:00Z"));
    private final RedisLimitEngine limits =
            Engines.builder(redis.url()).time(clock).build();

    @AfterEach
    void close() {
        limits.close();
    }

    static Stream<Limit> limits_of_all_kinds() {
        Duration minute = Duration.ofMinutes(1);
        return Stream.of(
                Limit.fixedWindow(100, minute),
                Limit.fixedWindow(100, minute).fromFirstRequest(),
                Limit.calendarWindow(100, CalendarWindow.Unit.DAY, ZoneOffset.UTC),
                Limit.slidingWindow(100, minute),
                Limit.slidingCounter(100, minute),
                Limit.tokenBucket(100, 7, minute),
                Limit.leakyBucket(100, 7, minute),
                Limit.leakyBucket(100, 7, minute).shaper());
    }

    @ParameterizedTest
    @MethodSource("limits_of_all_kinds")
    void a_refund_does_not_change_the_expiry(Limit limit) {
        Limiter limiter = limits.limiter("p", limit);
        // Enough requests for a sliding window to be stored with a ring.
        for (int i = 0; i < 39; i++) {
            clock.advance(Duration.ofMillis(10));
            limiter.tryAcquire("a");
        }
        clock.advance(Duration.ofMillis(10));
        Decision last = limiter.tryAcquire(PermitRequest.of("a").withPermits(2));
        long expiresAt = expiry();
        assertThat(limiter.refund("a", last)).isEqualTo(2);
        assertExpires(expiresAt);
        assertThat(limiter.refundOldest(PermitRequest.of("a"))).isEqualTo(1);
        assertExpires(expiresAt);
        assertThat(limiter.refundOldest(PermitRequest.of("a").withPermits(20))).isEqualTo(20);
        assertExpires(expiresAt);
        assertThat(limiter.refundOldest(PermitRequest.of("a").withPermits(1000)))
                .isBetween(17L, 18L);
        assertThat(limiter.peek("a").remaining()).isEqualTo(100);
        if (expiry() != NO_KEY) {
            assertExpires(expiresAt);
        }
    }

    @ParameterizedTest
    @MethodSource("limits_of_all_kinds")
    void a_refund_does_not_create_a_key_that_is_gone(Limit limit) {
        Limiter limiter = limits.limiter("p", limit);
        Decision decision = limiter.tryAcquire(PermitRequest.of("a").withPermits(3));
        probe.flushAll();
        assertThat(limiter.refund("a", decision)).isZero();
        assertThat(limiter.refundOldest(PermitRequest.of("a").withPermits(3))).isZero();
        assertThat(expiry()).isEqualTo(NO_KEY);
    }

    /** The refund script receives one number of permits for all rules, and an expired charge for the rule in shadow mode. */
    @ParameterizedTest
    @MethodSource("limits_of_all_kinds")
    void a_rule_in_shadow_mode_that_would_have_denied_is_not_refunded(Limit limit) {
        Limiter limiter = limits.limiter(Policy.named("p")
                .rule(Rule.of("tried", limit).inShadow())
                .rule("enforced", Limit.slidingWindow(200, Duration.ofMinutes(1)))
                .build());
        limiter.tryAcquire(PermitRequest.global().withPermits(99));
        Decision decision = limiter.tryAcquire(PermitRequest.global().withPermits(2));
        assertThat(decision.deniedInShadow()).containsExactly("tried");
        assertThat(limiter.refund(Attributes.none(), decision)).isEqualTo(2);
        assertThat(limiter.peek(PermitRequest.global()).rules())
                .extracting(RuleDecision::remaining)
                .containsExactly(1L, 101L);
    }

    /** A policy may be changed while a request is in flight. */
    @Test
    void a_rule_that_is_gone_or_of_another_kind_is_not_refunded() {
        Limiter limiter = limits.limiter("p", Limit.slidingWindow(10, Duration.ofMinutes(1)));
        Decision before = limiter.tryAcquire(PermitRequest.of("a").withPermits(4));
        limiter.update(Policy.of("p", Limit.fixedWindow(10, Duration.ofMinutes(1)), Attributes.KEY));
        limiter.tryAcquire(PermitRequest.of("a").withPermits(4));
        assertThat(limiter.refund("a", before)).isZero();
        assertThat(limiter.peek("a").remaining()).isEqualTo(6);
        limiter.update(Policy.named("p")
                .rule("other", Limit.slidingWindow(10, Duration.ofMinutes(1)), Attributes.KEY)
                .build());
        assertThat(limiter.refund("a", before)).isZero();
        limiter.update(Policy.of("p", Limit.slidingWindow(10, Duration.ofMinutes(1)), Attributes.KEY));
        assertThat(limiter.refund("a", before)).isEqualTo(4);
    }

    /** The last charge under the longer window is refunded, but the key still counts for the length of that window. */
    @Test
    void a_longer_window_still_counts_after_its_last_charge_is_refunded() {
        Limiter shorter = limits.limiter("p", Limit.slidingWindow(10, Duration.ofSeconds(1)));
        Limiter longer = limits.limiter("p", Limit.slidingWindow(10, Duration.ofSeconds(10)));
        shorter.tryAcquire("a");
        clock.advance(Duration.ofMillis(500));
        assertThat(longer.refund("a", longer.tryAcquire("a"))).isEqualTo(1);
        shorter.tryAcquire("a");
        clock.advance(Duration.ofSeconds(3));
        shorter.tryAcquire("a");
        // More than the longer window has passed since the first charge, but less since the charge under that window.
        clock.advance(Duration.ofMillis(6_600));
        shorter.tryAcquire("a");
        assertThat(longer.peek(PermitRequest.of(ALICE)).remaining()).isEqualTo(7);
    }

    /** The last charge of this window was made in its first microsecond. */
    @Test
    void a_sliding_counter_refunds_the_previous_window_from_the_first_instant_of_this_one() {
        Limiter limiter = limits.limiter("p", Limit.slidingCounter(10, Duration.ofSeconds(1)));
        clock.advance(Duration.ofMillis(999));
        limiter.tryAcquire(PermitRequest.of("a").withPermits(3));
        clock.advance(Duration.ofMillis(1));
        limiter.tryAcquire("a");
        assertThat(limiter.peek("a").remaining()).isEqualTo(6);
        assertThat(limiter.refundOldest(PermitRequest.of("a").withPermits(10))).isEqualTo(4);
        assertThat(limiter.peek("a").remaining()).isEqualTo(10);
    }

    @Test
    void a_decision_refunds_its_remaining_permits_after_a_refund_of_the_oldest() {
        Limiter limiter = limits.limiter("p", Limit.slidingWindow(20, Duration.ofSeconds(1)));
        Decision eight = limiter.tryAcquire(PermitRequest.of("a").withPermits(8));
        clock.advance(Duration.ofMillis(100));
        limiter.tryAcquire(PermitRequest.of("a").withPermits(2));
        assertThat(limiter.refundOldest(PermitRequest.of("a").withPermits(3))).isEqualTo(3);
        assertThat(limiter.refund("a", eight)).isEqualTo(5);
        assertThat(limiter.peek("a").remaining()).isEqualTo(18);
        assertThat(limiter.tryAcquire(PermitRequest.of("a").withPermits(19)).retryAfter())
                .contains(Duration.ofSeconds(1));
        assertThat(limiter.tryAcquire(PermitRequest.of("a").withPermits(18)).allowed())
                .isTrue();
        assertThat(limiter.tryAcquire("a").retryAfter()).contains(Duration.ofSeconds(1));
    }

    /** As with a lease, whose permits are refunded in parts of one charge. */
    @Test
    void a_second_refund_at_the_same_instant_leaves_consistent_counts() {
        Limiter limiter = limits.limiter("p", Limit.slidingWindow(10, Duration.ofSeconds(1)));
        Decision three = limiter.tryAcquire(PermitRequest.of("a").withPermits(3));
        limiter.tryAcquire(PermitRequest.of("a").withPermits(4));
        assertThat(limiter.refund("a", three)).isEqualTo(3);
        // With another charge id, Redis does not recognize the refund as a repeated one: it refunds three of the four
        // permits.
        assertThat(limiter.refund("a", EngineDecision.require(three).withChargeId(7)))
                .isEqualTo(3);
        assertThat(limiter.peek("a").remaining()).isEqualTo(9);
        // The counts are as if only one permit had been charged, also when others are charged and when it expires.
        clock.advance(Duration.ofMillis(500));
        assertThat(limiter.tryAcquire(PermitRequest.of("a").withPermits(9)).allowed())
                .isTrue();
        assertThat(limiter.tryAcquire("a").retryAfter()).contains(Duration.ofMillis(500));
        clock.advance(Duration.ofMillis(500));
        assertThat(limiter.peek("a").remaining()).isEqualTo(1);
    }

    /**
     * Charges are stored as entries of powers of two, and the entries of one instant are adjacent. After charges of four and three permits,
     * the second refund of three permits is a part of the four. Leases refund parts of their charges like this, anywhere in the stored log.
     */
    @ParameterizedTest
    @CsvSource({"4, 3", "8, 7", "12, 5", "31, 6"})
    void a_part_of_an_entry_is_refunded_and_the_rest_keeps_its_time(int other, int refunded) {
        int limit = 120;
        Limiter limiter = limits.limiter("p", Limit.slidingWindow(limit, Duration.ofSeconds(1)));
        for (int before = 0; before <= 34; before++) {
            for (int after = 0; after <= 34; after += after == 0 ? 1 : 11) {
                String id = before + "-" + after;
                acquireOneByOne(limiter, id, before);
                limiter.tryAcquire(PermitRequest.of(id).withPermits(other));
                Decision decision = limiter.tryAcquire(PermitRequest.of(id).withPermits(refunded));
                acquireOneByOne(limiter, id, after);
                long all = (long) before + other + refunded + after;
                long back = limiter.refund(id, decision);
                long again =
                        limiter.refund(id, EngineDecision.require(decision).withChargeId(7 + 36L * before + after));
                long left = other + refunded - back - again;
                assertThat(back).as(id).isEqualTo(refunded);
                // Up to 16 entries need no ring, and the two charges between are at most 7. A full ring may have no
                // room for more.
                assertThat(again)
                        .as(id)
                        .isIn(before + after < 8 ? List.of((long) refunded) : List.of(0L, (long) refunded));
                assertThat(limiter.peek(id).remaining()).as(id).isEqualTo(limit - all + back + again);
                clock.advance(Duration.ofSeconds(1).minusMillis(after + 2));
                assertThat(limiter.peek(id).remaining()).as(id).isEqualTo(limit - after - left);
                clock.advance(Duration.ofMillis(1));
                assertThat(limiter.peek(id).remaining()).as(id).isEqualTo(limit - after);
                assertThat(limiter.peek(id).resetAfter()).as(id).isEqualTo(Duration.ofMillis(after));
            }
        }
    }

    /** Seven of eight permits are three entries (4, 2 and 1) instead of one: a full ring has no room for them. */
    @ParameterizedTest
    @CsvSource({"32", "48", "64", "96"})
    void a_refund_that_a_full_ring_has_no_room_for_is_not_made(int full) {
        Limiter limiter = limits.limiter("p", Limit.slidingWindow(1000, Duration.ofMinutes(1)));
        for (int entries : new int[] {full - 2, full}) {
            String id = "of-" + entries;
            acquireOneByOne(limiter, id, 9);
            limiter.tryAcquire(PermitRequest.of(id).withPermits(8));
            // Charged at the same instant, though for another id: its refund to this id takes one of the eight permits.
            Decision oneAtThatInstant = limiter.tryAcquire("other");
            acquireOneByOne(limiter, id, entries - 10);
            long back = entries == full ? 0 : 1;
            assertThat(limiter.refund(id, oneAtThatInstant)).isEqualTo(back);
            assertThat(limiter.peek(id).remaining()).isEqualTo(1000 - (entries + 7) + back);
        }
    }

    private void acquireOneByOne(Limiter limiter, String id, int times) {
        for (int i = 0; i < times; i++) {
            clock.advance(Duration.ofMillis(1));
            assertThat(limiter.tryAcquire(id).allowed()).isTrue();
        }
        clock.advance(Duration.ofMillis(1));
    }

    /** Expired entries are still stored, before those that count. */
    @Test
    void refunds_keep_the_times_of_a_ring_whose_first_entries_have_expired() {
        Limiter limiter = limits.limiter("p", Limit.slidingWindow(40, Duration.ofSeconds(1)));
        for (int i = 0; i < 16; i++) {
            clock.advance(Duration.ofMillis(10));
            limiter.tryAcquire("a");
        }
        clock.advance(Duration.ofMillis(10));
        Decision seventeenth = limiter.tryAcquire("a");
        // Seven have expired.
        clock.advance(Duration.ofMillis(905));
        Decision last = limiter.tryAcquire("a");
        assertThat(last.remaining()).isEqualTo(29);
        clock.advance(Duration.ofMillis(1));
        Decision more = limiter.tryAcquire(PermitRequest.of("a").withPermits(2));
        assertThat(limiter.refund("a", last)).isEqualTo(1);
        assertThat(limiter.refund("a", more)).isEqualTo(2);
        assertThat(limiter.refund("a", seventeenth)).isEqualTo(1);
        assertThat(limiter.peek("a").remaining()).isEqualTo(31);
        assertThat(limiter.tryAcquire(PermitRequest.of("a").withPermits(32)).retryAfter())
                .contains(Duration.ofMillis(4));
        clock.advance(Duration.ofMillis(4));
        assertThat(limiter.tryAcquire(PermitRequest.of("a").withPermits(32)).allowed())
                .isTrue();
        assertThat(limiter.tryAcquire("a").retryAfter()).contains(Duration.ofMillis(10));
    }

    /** Compares the expiry, up to the rounding of Redis. */
    private void assertExpires(long atMillis) {
        assertThat(expiry()).isCloseTo(atMillis, within(3L));
    }

    /** The expiry of the only key with a count, in ms since 1970, or {@link #NO_KEY}. */
    private long expiry() {
        String script = """
                local keys = redis.call('KEYS', '*:limit:a')
                if #keys == 0 then return -2 end
                local clock = redis.call('TIME')
                return redis.call('PTTL', keys[1]) + clock[1] * 1000 + math.floor(clock[2] / 1000)
                """;
        return (long) Objects.requireNonNull(probe.command("EVAL", script, "0"));
    }
}
