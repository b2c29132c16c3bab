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

/** What a refund leaves at a key: the rest of what was counted, what is known of it, and the expiry that it had. */
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
    void the_expiry_stays_what_it_was(Limit limit) {
        Limiter limiter = limits.limiter("p", limit);
        // As many requests as make a sliding window a ring.
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
    void a_key_that_is_gone_does_not_come_back(Limit limit) {
        Limiter limiter = limits.limiter("p", limit);
        Decision decision = limiter.tryAcquire(PermitRequest.of("a").withPermits(3));
        probe.flushAll();
        assertThat(limiter.refund("a", decision)).isZero();
        assertThat(limiter.refundOldest(PermitRequest.of("a").withPermits(3))).isZero();
        assertThat(expiry()).isEqualTo(NO_KEY);
    }

    /** The script receives its key, with what others were charged, as that of a rule that was charged. */
    @ParameterizedTest
    @MethodSource("limits_of_all_kinds")
    void a_rule_in_the_shadow_that_would_have_denied_gives_nothing_back(Limit limit) {
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

    /** A policy may be changed while a request is on its way. */
    @Test
    void of_a_rule_that_is_gone_or_of_another_kind_nothing_is_taken_back() {
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

    /** The last charge under the longer window is refunded; the time for which that window counts stays. */
    @Test
    void what_a_longer_window_counts_is_not_forgotten_with_its_last_charge() {
        Limiter shorter = limits.limiter("p", Limit.slidingWindow(10, Duration.ofSeconds(1)));
        Limiter longer = limits.limiter("p", Limit.slidingWindow(10, Duration.ofSeconds(10)));
        shorter.tryAcquire("a");
        clock.advance(Duration.ofMillis(500));
        assertThat(longer.refund("a", longer.tryAcquire("a"))).isEqualTo(1);
        shorter.tryAcquire("a");
        clock.advance(Duration.ofSeconds(3));
        shorter.tryAcquire("a");
        // Of the longer window as long as it is have passed since the first charge, but not since the last under it.
        clock.advance(Duration.ofMillis(6_600));
        shorter.tryAcquire("a");
        assertThat(longer.peek(PermitRequest.of(ALICE)).remaining()).isEqualTo(7);
    }

    /** A window of the clock whose last charge was made in its first microsecond. */
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
    void a_decision_refunds_what_is_left_of_it_after_the_oldest_were_refunded() {
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

    /** As of a lease, whose permits are of one charge. */
    @Test
    void a_refund_of_the_same_instant_removes_no_part_of_another_entry() {
        Limiter limiter = limits.limiter("p", Limit.slidingWindow(10, Duration.ofSeconds(1)));
        Decision three = limiter.tryAcquire(PermitRequest.of("a").withPermits(3));
        limiter.tryAcquire(PermitRequest.of("a").withPermits(4));
        assertThat(limiter.refund("a", three)).isEqualTo(3);
        long other = limiter.refund("a", EngineDecision.require(three).withChargeId(7));
        long counted = 4 - other;
        assertThat(limiter.peek("a").remaining()).isEqualTo(10 - counted);
        // It is as if no more had ever been charged, also when the rest leaves and when others come.
        clock.advance(Duration.ofMillis(500));
        assertThat(limiter.tryAcquire(PermitRequest.of("a").withPermits(10 - counted))
                        .allowed())
                .isTrue();
        assertThat(limiter.tryAcquire("a").retryAfter()).contains(Duration.ofMillis(500));
        clock.advance(Duration.ofMillis(500));
        assertThat(limiter.peek("a").remaining()).isEqualTo(counted);
    }

    /**
     * What is charged is kept as powers of two, and those of one instant are one row: of four and three permits, the second time three are
     * a part of the four. As leases refund parts of what they were charged, wherever in a row or a ring that stands.
     */
    @ParameterizedTest
    @CsvSource({"4, 3", "8, 7", "12, 5", "31, 6"})
    void a_part_of_an_entry_is_taken_back_and_the_rest_stays_where_it_was(int other, int given) {
        int limit = 120;
        Limiter limiter = limits.limiter("p", Limit.slidingWindow(limit, Duration.ofSeconds(1)));
        for (int before = 0; before <= 34; before++) {
            for (int after = 0; after <= 34; after += after == 0 ? 1 : 11) {
                String id = before + "-" + after;
                askOneByOne(limiter, id, before);
                limiter.tryAcquire(PermitRequest.of(id).withPermits(other));
                Decision decision = limiter.tryAcquire(PermitRequest.of(id).withPermits(given));
                askOneByOne(limiter, id, after);
                long all = (long) before + other + given + after;
                long back = limiter.refund(id, decision);
                long again =
                        limiter.refund(id, EngineDecision.require(decision).withChargeId(7 + 36L * before + after));
                long left = other + given - back - again;
                assertThat(back).as(id).isEqualTo(given);
                // A ring that is full has no room for more entries.
                assertThat(again).as(id).isIn(before + after < 8 ? List.of((long) given) : List.of(0L, (long) given));
                assertThat(limiter.peek(id).remaining()).as(id).isEqualTo(limit - all + back + again);
                clock.advance(Duration.ofSeconds(1).minusMillis(after + 2));
                assertThat(limiter.peek(id).remaining()).as(id).isEqualTo(limit - after - left);
                clock.advance(Duration.ofMillis(1));
                assertThat(limiter.peek(id).remaining()).as(id).isEqualTo(limit - after);
                assertThat(limiter.peek(id).resetAfter()).as(id).isEqualTo(Duration.ofMillis(after));
            }
        }
    }

    /** Eight less one are three entries instead of one: in a ring that is full there is no room for them. */
    @ParameterizedTest
    @CsvSource({"32", "48", "64", "96"})
    void what_a_full_ring_has_no_room_for_stays_charged(int full) {
        Limiter limiter = limits.limiter("p", Limit.slidingWindow(1000, Duration.ofMinutes(1)));
        for (int entries : new int[] {full - 2, full}) {
            String id = "of-" + entries;
            askOneByOne(limiter, id, 9);
            limiter.tryAcquire(PermitRequest.of(id).withPermits(8));
            Decision oneThen = limiter.tryAcquire("other");
            askOneByOne(limiter, id, entries - 10);
            long back = entries == full ? 0 : 1;
            assertThat(limiter.refund(id, oneThen)).isEqualTo(back);
            assertThat(limiter.peek(id).remaining()).isEqualTo(1000 - (entries + 7) + back);
        }
    }

    private void askOneByOne(Limiter limiter, String id, int times) {
        for (int i = 0; i < times; i++) {
            clock.advance(Duration.ofMillis(1));
            assertThat(limiter.tryAcquire(id).allowed()).isTrue();
        }
        clock.advance(Duration.ofMillis(1));
    }

    /** Entries that have left are still there, before those that count. */
    @Test
    void a_ring_from_whose_front_some_have_left_becomes_a_row_again() {
        Limiter limiter = limits.limiter("p", Limit.slidingWindow(40, Duration.ofSeconds(1)));
        for (int i = 0; i < 16; i++) {
            clock.advance(Duration.ofMillis(10));
            limiter.tryAcquire("a");
        }
        clock.advance(Duration.ofMillis(10));
        Decision seventeenth = limiter.tryAcquire("a");
        // Seven have left.
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

    /** But for what Redis rounds. */
    private void assertExpires(long atMillis) {
        assertThat(expiry()).isCloseTo(atMillis, within(3L));
    }

    /** When the only key that counts expires, in ms since 1970. */
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
