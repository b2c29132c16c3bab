package io.headgate.redis.limits.internal.planner;

import static io.headgate.redis.limits.internal.planner.StoredState.bucket;
import static io.headgate.redis.limits.internal.planner.StoredState.entry;
import static io.headgate.redis.limits.internal.planner.StoredState.header;
import static io.headgate.redis.limits.internal.planner.StoredState.pack;
import static io.headgate.redis.limits.internal.planner.StoredState.window;
import static org.assertj.core.api.Assertions.assertThat;

import io.headgate.limits.Attributes;
import io.headgate.limits.CalendarWindow.Unit;
import io.headgate.limits.Decision;
import io.headgate.limits.LeakyBucket;
import io.headgate.limits.Limit;
import io.headgate.limits.Limiter;
import io.headgate.limits.PermitRequest;
import io.headgate.limits.RuleDecision;
import io.headgate.limits.internal.decision.EngineDecision;
import io.headgate.redis.limits.Burst;
import io.headgate.redis.limits.Engines;
import io.headgate.redis.limits.OwnRedis;
import io.headgate.redis.limits.RedisLimitEngine;
import io.headgate.testkit.ManualClock;
import io.headgate.testkit.RedisProbe;
import io.headgate.testkit.conditions.ServerVersionSensitive;
import java.io.ByteArrayOutputStream;
import java.time.Duration;
import java.time.Instant;
import java.time.ZoneId;
import java.time.ZoneOffset;
import java.time.temporal.ChronoUnit;
import java.util.Arrays;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;

/** The bytes that scripts store, compared with bytes that were computed by hand, and the memory that they take. */
@ServerVersionSensitive
class ScriptStateIT {

    @RegisterExtension
    final OwnRedis redis = new OwnRedis();

    private static final Duration SECOND = Duration.ofSeconds(1);

    private final RedisProbe probe = redis.probe;
    private final StoredState stored = new StoredState(probe);
    private final ManualClock clock = ManualClock.atMicros(0);
    private final RedisLimitEngine limits = Engines.builder(
                    Engines.settings(redis.url()).withKeyPrefix("h"))
            .time(clock)
            .build();

    @AfterEach
    void close() {
        limits.close();
    }

    @Test
    void a_fixed_window_stores_its_first_and_last_charge_and_its_count() {
        Limiter limiter = limits.limiter("p", Limit.fixedWindow(10, SECOND));
        String key = "h:fw:p:limit:a";

        assertAllowed(acquire(limiter, 5_400_000, 3), 7, 600_000);
        stored.assertIs(key, window(5_400_000, 5_400_000, 3));
        stored.assertExpires(key, 121_001, 132_400);

        assertAllowed(acquire(limiter, 5_900_000, 2), 5, 100_000);
        stored.assertIs(key, window(5_400_000, 5_900_000, 5));

        // The last microsecond of the window, and the first of the next.
        stored.assertUnchanged(key, () -> assertDenied(acquire(limiter, 5_999_999, 6), 1));
        assertAllowed(acquire(limiter, 6_000_000, 6), 4, 1_000_000);
        stored.assertIs(key, window(6_000_000, 6_000_000, 6));

        // A clock that is set back: the time of the last charge holds.
        assertAllowed(acquire(limiter, 5_000_000, 1), 3, 2_000_000);
        stored.assertIs(key, window(6_000_000, 6_000_000, 7));
        assertPeekAndResetOf(limiter, key);
    }

    @Test
    void a_fixed_window_from_the_first_request_starts_with_that_request() {
        Limiter limiter = limits.limiter("p", Limit.fixedWindow(10, SECOND).fromFirstRequest());
        String key = "h:fw:p:limit:a";

        assertAllowed(acquire(limiter, 5_400_000, 3), 7, 1_000_000);
        assertAllowed(acquire(limiter, 6_399_999, 7), 0, 1);
        stored.assertIs(key, window(5_400_000, 6_399_999, 10));
        stored.assertUnchanged(key, () -> assertDenied(acquire(limiter, 6_399_999, 1), 1));
        assertAllowed(acquire(limiter, 6_400_000, 1), 9, 1_000_000);
        stored.assertIs(key, window(6_400_000, 6_400_000, 1));
    }

    @Test
    void a_calendar_window_stores_the_first_and_last_charge_and_the_count_of_its_day() {
        // Midnight in Tokyo.
        long midnight = Instant.parse("2025-01-31T15:00:00Z").getEpochSecond() * 1_000_000;
        Limiter limiter = limits.limiter("p", Limit.calendarWindow(10, Unit.DAY, ZoneId.of("Asia/Tokyo")));
        String key = "h:cw:p:limit:a";

        assertAllowed(acquire(limiter, midnight - 600_000, 3), 7, 600_000);
        stored.assertIs(key, window(midnight - 600_000, midnight - 600_000, 3));
        stored.assertExpires(key, 120_600, 120_600 + 3_600_000);

        assertAllowed(acquire(limiter, midnight - 100_000, 2), 5, 100_000);
        stored.assertIs(key, window(midnight - 600_000, midnight - 100_000, 5));

        // The last microsecond of the day, and the first of the next, which the key must outlive.
        stored.assertUnchanged(key, () -> assertDenied(acquire(limiter, midnight - 1, 6), 1));
        assertAllowed(acquire(limiter, midnight, 6), 4, 86_400_000_000L);
        stored.assertIs(key, window(midnight, midnight, 6));
        stored.assertExpires(key, 86_520_000, 86_520_000 + 3_600_000);

        // A clock that is set back: the time of the last charge holds.
        assertAllowed(acquire(limiter, midnight - 1_000_000, 1), 3, 86_401_000_000L);
        stored.assertIs(key, window(midnight, midnight, 7));
        assertPeekAndResetOf(limiter, key);
    }

    @Test
    void a_token_bucket_stores_its_missing_permits() {
        // 2 a second are 1 in 500 000 us.
        Limiter limiter = limits.limiter("p", Limit.tokenBucket(10, 2, SECOND));
        String key = "h:tb:p:limit:a";

        assertAllowed(acquire(limiter, 1_000_000, 4), 6, 2_000_000);
        stored.assertIs(key, bucket(1_000_000, 4, 0, 500_000));
        stored.assertExpires(key, 125_001, 136_721);

        // 300 001 us later 3 permits and 199 999 parts are missing, so 6 whole permits remain, and 5 after one more.
        assertAllowed(acquire(limiter, 1_300_001, 1), 5, 2_199_999);
        stored.assertIs(key, bucket(1_300_001, 4, 199_999, 500_000));

        // A request for 6 permits needs at most 4 missing permits.
        stored.assertUnchanged(key, () -> assertDenied(acquire(limiter, 1_300_001, 6), 199_999));
        assertAllowed(acquire(limiter, 1_500_000, 6), 0, 5_000_000);
        stored.assertIs(key, bucket(1_500_000, 10, 0, 500_000));
        assertPeekAndResetOf(limiter, key);
    }

    @Test
    void a_token_bucket_is_exact_if_a_permit_takes_a_fractional_number_of_microseconds() {
        // A permit takes 333 333 1/3 us: it has a million parts, three for each microsecond.
        Limiter limiter = limits.limiter("p", Limit.tokenBucket(10, 3, SECOND));
        String key = "h:tb:p:limit:a";

        assertAllowed(acquire(limiter, 1_000_000, 1), 9, 333_334);
        stored.assertIs(key, bucket(1_000_000, 1, 0, 1_000_000));
        assertAllowed(acquire(limiter, 1_000_000, 2), 7, 1_000_000);
        stored.assertIs(key, bucket(1_000_000, 3, 0, 1_000_000));
    }

    @ParameterizedTest
    @EnumSource(LeakyBucket.Mode.class)
    void a_leaky_bucket_stores_the_permits_in_it(LeakyBucket.Mode mode) {
        // 2 a second are 1 in 500 000 us.
        Limiter limiter = limits.limiter("p", new LeakyBucket(10, 2, SECOND, mode));
        String key = "h:lb:p:limit:a";
        boolean shapes = mode == LeakyBucket.Mode.SHAPER;

        Decision first = acquire(limiter, 1_000_000, 4);
        assertAllowed(first, 6, 2_000_000);
        assertThat(first.delay()).isZero();
        stored.assertIs(key, bucket(1_000_000, 4, 0, 500_000));
        stored.assertExpires(key, 125_001, 136_721);

        // 300 001 us later 3 permits and 199 999 parts are in the bucket; a shaper delays the request until they have
        // leaked out.
        Decision second = acquire(limiter, 1_300_001, 1);
        assertAllowed(second, 5, 2_199_999);
        assertThat(second.delay()).isEqualTo(micros(shapes ? 1_699_999 : 0));
        stored.assertIs(key, bucket(1_300_001, 4, 199_999, 500_000));

        stored.assertUnchanged(key, () -> assertDenied(acquire(limiter, 1_300_001, 6), 199_999));
        Decision last = acquire(limiter, 1_500_000, 6);
        assertAllowed(last, 0, 5_000_000);
        assertThat(last.delay()).isEqualTo(micros(shapes ? 2_000_000 : 0));
        stored.assertIs(key, bucket(1_500_000, 10, 0, 500_000));
        assertPeekAndResetOf(limiter, key);
    }

    @Test
    void a_leaky_bucket_stores_fractions_of_a_microsecond() {
        // A permit takes 333 333 1/3 us: it has a million parts, three for each microsecond.
        Limiter limiter = limits.limiter("p", Limit.leakyBucket(10, 3, SECOND).shaper());
        String key = "h:lb:p:limit:a";

        assertThat(acquire(limiter, 1_000_000, 1).delay()).isZero();
        assertThat(acquire(limiter, 1_000_001, 1).delay()).isEqualTo(micros(333_333));
        stored.assertIs(key, bucket(1_000_001, 1, 999_997, 1_000_000));
        assertThat(acquire(limiter, 1_000_001, 1).delay()).isEqualTo(micros(666_666));
        stored.assertIs(key, bucket(1_000_001, 2, 999_997, 1_000_000));
    }

    @Test
    void a_sliding_window_stores_a_header_and_an_entry_for_each_bit_of_a_charge() {
        Limiter limiter = limits.limiter("p", Limit.slidingWindow(10, SECOND));
        String key = "h:sw:p:limit:a";

        // 3 permits are 1 and 2: exponents 0 and 1 in the low five bits.
        assertAllowed(acquire(limiter, 1_000_000, 3), 7, 1_000_000);
        stored.assertIs(
                key,
                header(1_000_000, 10, 3, 0, 0, 0, 0, 0, 0, 1_000_000, 2),
                entry(1_000_000, 0),
                entry(1_000_000, 1));
        stored.assertExpires(key, 121_001, 132_400);

        assertAllowed(acquire(limiter, 1_500_000, 1), 6, 1_000_000);
        stored.assertUnchanged(key, () -> assertDenied(acquire(limiter, 1_999_999, 7), 1));

        // The first three permits have expired: their entries are removed, and the sum no longer counts them.
        assertAllowed(acquire(limiter, 2_000_000, 1), 8, 1_000_000);
        stored.assertIs(
                key,
                header(2_000_000, 10, 5, 3, 3, 0, 0, 0, 0, 1_500_000, 2),
                entry(1_500_000, 0),
                entry(2_000_000, 0));
        assertPeekAndResetOf(limiter, key);
    }

    @Test
    void the_seventeenth_entry_moves_the_sixteen_before_it_into_a_block() {
        Limiter limiter = limits.limiter("p", Limit.slidingWindow(40, SECOND));
        String key = "h:sw:p:limit:a";
        ByteArrayOutputStream block = new ByteArrayOutputStream();
        for (int i = 0; i < 16; i++) {
            assertAllowed(acquire(limiter, 1_000_000 + i, 1), 39 - i, 1_000_000);
            block.writeBytes(entry(1_000_000 + i, 0));
        }
        stored.assertIs(key, header(1_000_015, 40, 16, 0, 0, 0, 0, 0, 0, 1_000_000, 16), block.toByteArray());

        assertAllowed(acquire(limiter, 1_000_016, 1), 23, 1_000_000);
        stored.assertIs(
                key,
                header(1_000_016, 40, 17, 0, 0, 0, 1, 0, 0, 1_000_000, 1),
                entry(1_000_016, 0),
                new byte[60],
                block.toByteArray());

        // Five microseconds after the first entry has expired: six have expired, and the seventh is the oldest.
        assertAllowed(acquire(limiter, 2_000_005, 1), 28, 1_000_000);
        stored.assertIs(
                key,
                header(2_000_005, 40, 18, 6, 6, 0, 1, 0, 6, 1_000_006, 2),
                entry(1_000_016, 0),
                entry(2_000_005, 0),
                new byte[56],
                block.toByteArray());
        assertPeekAndResetOf(limiter, key);
    }

    @Test
    void when_the_oldest_block_has_expired_the_next_one_is_taken_from_the_ring() {
        Limiter limiter = limits.limiter("p", Limit.slidingWindow(60, SECOND));
        String key = "h:sw:p:limit:a";
        ByteArrayOutputStream oldest = new ByteArrayOutputStream();
        ByteArrayOutputStream next = new ByteArrayOutputStream();
        for (int i = 0; i < 33; i++) {
            assertAllowed(acquire(limiter, 1_000_000 + i, 1), 59 - i, 1_000_000);
            (i < 16 ? oldest : next).writeBytes(entry(1_000_000 + i, 0));
        }
        byte[] ring = Arrays.copyOf(next.toByteArray(), 64);
        byte[] sum = pack(7, 32);
        stored.assertIs(
                key,
                header(1_000_032, 60, 33, 0, 0, 0, 2, 1, 0, 1_000_000, 1),
                entry(1_000_032, 0),
                new byte[60],
                oldest.toByteArray(),
                ring,
                sum);

        // All entries of the oldest block and three of the next have expired: the next block is the oldest now, and its
        // slot in the ring is free.
        assertAllowed(acquire(limiter, 2_000_018, 1), 45, 1_000_000);
        stored.assertIs(
                key,
                header(2_000_018, 60, 34, 19, 19, 0, 1, 1, 3, 1_000_019, 2),
                entry(1_000_032, 0),
                entry(2_000_018, 0),
                new byte[56],
                ring,
                ring,
                sum);

        // Fifteen more entries fill the newest block, which takes that slot.
        ByteArrayOutputStream newest = new ByteArrayOutputStream();
        newest.writeBytes(entry(1_000_032, 0));
        newest.writeBytes(entry(2_000_018, 0));
        for (int i = 0; i < 15; i++) {
            assertAllowed(acquire(limiter, 2_000_018, 1), 44 - i, 1_000_000);
            newest.writeBytes(entry(2_000_018, 0));
        }
        stored.assertIs(
                key,
                header(2_000_018, 60, 49, 19, 19, 0, 2, 1, 3, 1_000_019, 1),
                entry(2_000_018, 0),
                Arrays.copyOfRange(newest.toByteArray(), 4, 64),
                ring,
                Arrays.copyOf(newest.toByteArray(), 64),
                pack(7, 48));
        assertPeekAndResetOf(limiter, key);
    }

    @Test
    void a_refunded_decision_leaves_an_empty_record_until_a_minute_after_its_charge_stops_counting() {
        Limiter limiter = limits.limiter("p", Limit.fixedWindow(10, SECOND));
        Decision decision =
                EngineDecision.require(acquire(limiter, 5_400_000, 3)).withChargeId(-1);
        assertThat(limiter.refund("a", decision)).isEqualTo(3);
        // The window ends at 6 s; -1 is the largest id, of 64 bits.
        String key = "h:rf:p:3w5e11264sgsf";
        assertThat(probe.command("TYPE", key)).isEqualTo("string");
        assertThat(probe.command("STRLEN", key)).isEqualTo(0L);
        stored.assertExpires(key, 60_600, 60_600);
        // 96 bytes, and up to 64 where Redis stores the record in an argument of an earlier script call, which it
        // reuses.
        assertThat(stored.memory(key)).isLessThanOrEqualTo(96 + 64);

        clock.setMicros(5_400_001);
        acquire(limiter, 5_400_001, 2);
        stored.assertUnchanged("h:fw:p:limit:a", () -> assertThat(limiter.refund("a", decision))
                .isZero());
    }

    @ParameterizedTest
    @CsvSource({"100, 850", "1000, 6300", "10000, 50000"})
    void an_exhausted_sliding_window_takes_a_few_bytes_for_each_permit(int permits, long most) {
        Limiter limiter = limits.limiter("p", Limit.slidingWindow(permits, Duration.ofMinutes(1)));
        Duration step = Duration.ofMinutes(1).dividedBy(permits);
        long largest = 0;
        int between = permits / 100 + 7; // so that the samples are at every position of a block
        for (int requests = 0; requests < 3 * permits; requests += between) {
            Burst burst = Burst.of(between, i -> {
                clock.advance(step);
                return limiter.async().tryAcquire("a");
            });
            assertThat(burst.admitted()).isEqualTo(between);
            largest = Math.max(largest, stored.memory("h:sw:p:limit:a"));
        }
        assertThat(largest).isLessThanOrEqualTo(most);
    }

    @Test
    void buckets_and_windows_that_only_count_take_less_than_a_hundred_bytes() {
        Map<String, Limit> byKind = Map.of(
                "tb", Limit.tokenBucket(10, 3, SECOND),
                "lb", Limit.leakyBucket(10, 3, SECOND),
                "fw", Limit.fixedWindow(10, SECOND),
                "cw", Limit.calendarWindow(10, Unit.DAY, ZoneOffset.UTC));
        byKind.forEach((kind, limit) -> {
            acquire(limits.limiter("p", limit), 1_735_689_600_000_000L, 1);
            assertThat(stored.memory("h:" + kind + ":p:limit:a")).as(kind).isLessThanOrEqualTo(96);
        });
    }

    private Decision acquire(Limiter limiter, long atMicros, long permits) {
        clock.setMicros(atMicros);
        Decision decision = limiter.tryAcquire(PermitRequest.of("a").withPermits(permits));
        assertThat(decision.decidedAt()).isEqualTo(Instant.EPOCH.plusNanos(atMicros * 1000));
        return decision;
    }

    private static void assertAllowed(Decision decision, long remaining, long resetMicros) {
        RuleDecision rule = decision.rules().get(0);
        assertThat(rule.allowed()).isTrue();
        assertThat(rule.remaining()).isEqualTo(remaining);
        assertThat(rule.resetAfter()).isEqualTo(micros(resetMicros));
    }

    private static void assertDenied(Decision decision, long retryMicros) {
        assertThat(decision.retryAfter()).contains(micros(retryMicros));
    }

    private static Duration micros(long micros) {
        return Duration.of(micros, ChronoUnit.MICROS);
    }

    private void assertPeekAndResetOf(Limiter limiter, String key) {
        Attributes attributes = Attributes.of(Attributes.KEY, "a");
        stored.assertUnchanged(key, () -> limiter.peek(PermitRequest.of(attributes)));
        stored.assertUnchanged(
                key, () -> limiter.peek(PermitRequest.of(attributes).withPermits(1000)));
        assertThat(limiter.resetRule("limit", attributes)).isTrue();
        assertThat(probe.command("EXISTS", key)).isEqualTo(0L);
        assertThat(limiter.resetRule("limit", attributes)).isFalse();
    }
}
