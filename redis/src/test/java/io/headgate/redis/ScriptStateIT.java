package io.headgate.redis;

import static org.assertj.core.api.Assertions.assertThat;

import io.headgate.limits.Attributes;
import io.headgate.limits.CalendarWindow;
import io.headgate.limits.Decision;
import io.headgate.limits.Limit;
import io.headgate.limits.Limiter;
import io.headgate.limits.RuleDecision;
import io.headgate.testkit.ManualClock;
import io.headgate.testkit.RedisProbe;
import io.headgate.testkit.RedisServer;
import java.io.ByteArrayOutputStream;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.time.ZoneOffset;
import java.util.Arrays;
import java.util.Map;
import java.util.Objects;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** What the scripts store, to the byte, computed by hand; and how much memory it takes. */
class ScriptStateIT {

    private static final RedisServer REDIS = RedisServer.startOwn();

    @RegisterExtension
    static final LeavesNothingBehind NOTHING_BEHIND = LeavesNothingBehind.in(REDIS.url(), "*");

    private static final Duration SECOND = Duration.ofSeconds(1);

    private final RedisProbe probe = RedisProbe.of(REDIS.url());
    private final ManualClock clock = ManualClock.atMicros(0);
    private final RedisLimits limits = RedisLimits.builder()
            .url(REDIS.url())
            .keyPrefix("h")
            .timeout(Duration.ofSeconds(30))
            .time(clock)
            .build();

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

    @Test
    void a_fixed_window_of_the_clock_is_first_last_and_count() {
        Limiter limiter = limits.limiter("p", Limit.fixedWindow(10, SECOND));
        String key = "h:fw:p:limit:a";

        assertReply(ask(limiter, 5_400_000, 3), 7, 600_000);
        assertState(key, pack(7, 5_400_000, 7, 5_400_000, 6, 3), new byte[7]);
        assertExpires(key, 121_001, 132_400);

        assertReply(ask(limiter, 5_900_000, 2), 5, 100_000);
        assertState(key, pack(7, 5_400_000, 7, 5_900_000, 6, 5), new byte[7]);

        // The last microsecond of the window, and the first of the next.
        assertLeaves(key, () -> assertDenied(ask(limiter, 5_999_999, 6), 1));
        assertReply(ask(limiter, 6_000_000, 6), 4, 1_000_000);
        assertState(key, pack(7, 6_000_000, 7, 6_000_000, 6, 6), new byte[7]);

        // A clock that is set back: the time of the last charge holds.
        assertReply(ask(limiter, 5_000_000, 1), 3, 2_000_000);
        assertState(key, pack(7, 6_000_000, 7, 6_000_000, 6, 7), new byte[7]);
        assertPeekAndResetOf(limiter, key);
    }

    @Test
    void a_fixed_window_from_the_first_request_begins_with_it() {
        Limiter limiter = limits.limiter("p", Limit.fixedWindow(10, SECOND).fromFirstRequest());
        String key = "h:fw:p:limit:a";

        assertReply(ask(limiter, 5_400_000, 3), 7, 1_000_000);
        assertReply(ask(limiter, 6_399_999, 7), 0, 1);
        assertState(key, pack(7, 5_400_000, 7, 6_399_999, 6, 10), new byte[7]);
        assertLeaves(key, () -> assertDenied(ask(limiter, 6_399_999, 1), 1));
        assertReply(ask(limiter, 6_400_000, 1), 9, 1_000_000);
        assertState(key, pack(7, 6_400_000, 7, 6_400_000, 6, 1), new byte[7]);
    }

    @Test
    void a_token_bucket_is_what_it_owes() {
        // 2 a second are 1 in 500 000 us.
        Limiter limiter = limits.limiter("p", Limit.tokenBucket(10, 2, SECOND));
        String key = "h:tb:p:limit:a";

        assertReply(ask(limiter, 1_000_000, 4), 6, 2_000_000);
        assertState(key, bucket(1_000_000, 4, 0, 500_000));
        assertExpires(key, 125_001, 136_721);

        // 300 001 us later 3 permits are owed and 199 999 parts, so 6 whole ones remain, and 5 after one more.
        assertReply(ask(limiter, 1_300_001, 1), 5, 2_199_999);
        assertState(key, bucket(1_300_001, 4, 199_999, 500_000));

        // 6 permits need no more than 4 to be owed.
        assertLeaves(key, () -> assertDenied(ask(limiter, 1_300_001, 6), 199_999));
        assertReply(ask(limiter, 1_500_000, 6), 0, 5_000_000);
        assertState(key, bucket(1_500_000, 10, 0, 500_000));
        assertPeekAndResetOf(limiter, key);
    }

    @Test
    void a_token_bucket_keeps_what_takes_parts_of_a_microsecond() {
        // A permit takes 333 333 1/3 us: three parts a microsecond, of a million.
        Limiter limiter = limits.limiter("p", Limit.tokenBucket(10, 3, SECOND));
        String key = "h:tb:p:limit:a";

        assertReply(ask(limiter, 1_000_000, 1), 9, 333_334);
        assertState(key, bucket(1_000_000, 1, 0, 1_000_000));
        assertReply(ask(limiter, 1_000_000, 2), 7, 1_000_000);
        assertState(key, bucket(1_000_000, 3, 0, 1_000_000));
    }

    @Test
    void a_sliding_window_is_a_header_and_an_entry_for_each_bit() {
        Limiter limiter = limits.limiter("p", Limit.slidingWindow(10, SECOND));
        String key = "h:sw:p:limit:a";

        // 3 permits are 1 and 2: exponents 0 and 1 in the low five bits.
        assertReply(ask(limiter, 1_000_000, 3), 7, 1_000_000);
        assertState(
                key,
                header(1_000_000, 10, 3, 0, 0, 0, 0, 0, 0, 1_000_000, 2),
                entry(1_000_000, 0),
                entry(1_000_000, 1));
        assertExpires(key, 121_001, 132_400);

        assertReply(ask(limiter, 1_500_000, 1), 6, 1_000_000);
        assertLeaves(key, () -> assertDenied(ask(limiter, 1_999_999, 7), 1));

        // The first three have left: forgotten, and gone from the sum that is counted.
        assertReply(ask(limiter, 2_000_000, 1), 8, 1_000_000);
        assertState(
                key,
                header(2_000_000, 10, 5, 3, 3, 0, 0, 0, 0, 1_500_000, 2),
                entry(1_500_000, 0),
                entry(2_000_000, 0));
        assertPeekAndResetOf(limiter, key);
    }

    @Test
    void the_seventeenth_entry_makes_a_block_of_the_sixteen_before_it() {
        Limiter limiter = limits.limiter("p", Limit.slidingWindow(40, SECOND));
        String key = "h:sw:p:limit:a";
        ByteArrayOutputStream block = new ByteArrayOutputStream();
        for (int i = 0; i < 16; i++) {
            assertReply(ask(limiter, 1_000_000 + i, 1), 39 - i, 1_000_000);
            block.writeBytes(entry(1_000_000 + i, 0));
        }
        assertState(key, header(1_000_015, 40, 16, 0, 0, 0, 0, 0, 0, 1_000_000, 16), block.toByteArray());

        assertReply(ask(limiter, 1_000_016, 1), 23, 1_000_000);
        assertState(
                key,
                header(1_000_016, 40, 17, 0, 0, 0, 1, 0, 0, 1_000_000, 1),
                entry(1_000_016, 0),
                new byte[60],
                block.toByteArray());

        // Five microseconds after the first has left: six are gone, and the oldest left is the seventh.
        assertReply(ask(limiter, 2_000_005, 1), 28, 1_000_000);
        assertState(
                key,
                header(2_000_005, 40, 18, 6, 6, 0, 1, 0, 6, 1_000_006, 2),
                entry(1_000_016, 0),
                entry(2_000_005, 0),
                new byte[56],
                block.toByteArray());
        assertPeekAndResetOf(limiter, key);
    }

    @Test
    void blocks_after_the_oldest_form_a_ring_from_which_the_next_is_taken_when_the_oldest_is_used_up() {
        Limiter limiter = limits.limiter("p", Limit.slidingWindow(60, SECOND));
        String key = "h:sw:p:limit:a";
        ByteArrayOutputStream oldest = new ByteArrayOutputStream();
        ByteArrayOutputStream next = new ByteArrayOutputStream();
        for (int i = 0; i < 33; i++) {
            assertReply(ask(limiter, 1_000_000 + i, 1), 59 - i, 1_000_000);
            (i < 16 ? oldest : next).writeBytes(entry(1_000_000 + i, 0));
        }
        byte[] ring = Arrays.copyOf(next.toByteArray(), 64);
        byte[] sum = pack(7, 32);
        assertState(
                key,
                header(1_000_032, 60, 33, 0, 0, 0, 2, 1, 0, 1_000_000, 1),
                entry(1_000_032, 0),
                new byte[60],
                oldest.toByteArray(),
                ring,
                sum);

        // All of the oldest have left, and three of the next: it is the oldest now, and its place in the ring is free.
        assertReply(ask(limiter, 2_000_018, 1), 45, 1_000_000);
        assertState(
                key,
                header(2_000_018, 60, 34, 19, 19, 0, 1, 1, 3, 1_000_019, 2),
                entry(1_000_032, 0),
                entry(2_000_018, 0),
                new byte[56],
                ring,
                ring,
                sum);

        // Fifteen more fill the newest, which take that place.
        ByteArrayOutputStream newest = new ByteArrayOutputStream();
        newest.writeBytes(entry(1_000_032, 0));
        newest.writeBytes(entry(2_000_018, 0));
        for (int i = 0; i < 15; i++) {
            assertReply(ask(limiter, 2_000_018, 1), 44 - i, 1_000_000);
            newest.writeBytes(entry(2_000_018, 0));
        }
        assertState(
                key,
                header(2_000_018, 60, 49, 19, 19, 0, 2, 1, 3, 1_000_019, 1),
                entry(2_000_018, 0),
                Arrays.copyOfRange(newest.toByteArray(), 4, 64),
                ring,
                Arrays.copyOf(newest.toByteArray(), 64),
                pack(7, 48));
        assertPeekAndResetOf(limiter, key);
    }

    @ParameterizedTest
    @CsvSource({"100, 850", "1000, 6300", "10000, 50000"})
    void a_full_user_takes_a_few_bytes_a_permit(int permits, long most) {
        Limiter limiter = limits.limiter("p", Limit.slidingWindow(permits, Duration.ofMinutes(1)));
        Duration step = Duration.ofMinutes(1).dividedBy(permits);
        long largest = 0;
        int between = permits / 100 + 7; // so that it meets every place of a block
        for (int asked = 0; asked < 3 * permits; asked += between) {
            Burst burst = Burst.of(between, i -> {
                clock.advance(step);
                return limiter.async().tryAcquire("a");
            });
            assertThat(burst.admitted()).isEqualTo(between);
            largest = Math.max(largest, memory("h:sw:p:limit:a"));
        }
        assertThat(largest).isLessThanOrEqualTo(most);
    }

    @Test
    void buckets_and_windows_that_only_count_take_less_than_a_hundred_bytes() {
        Map<String, Limit> byKind = Map.of(
                "tb", Limit.tokenBucket(10, 3, SECOND),
                "lb", Limit.leakyBucket(10, 3, SECOND),
                "fw", Limit.fixedWindow(10, SECOND),
                "cw", Limit.calendarWindow(10, CalendarWindow.Unit.DAY, ZoneOffset.UTC));
        byKind.forEach((kind, limit) -> {
            ask(limits.limiter("p", limit), 1_735_689_600_000_000L, 1);
            assertThat(memory("h:" + kind + ":p:limit:a")).as(kind).isLessThanOrEqualTo(96);
        });
    }

    private Decision ask(Limiter limiter, long atMicros, long permits) {
        clock.setMicros(atMicros);
        Decision decision = limiter.tryAcquire("a", permits);
        assertThat(decision.decidedAt()).isEqualTo(Instant.EPOCH.plusNanos(atMicros * 1000));
        return decision;
    }

    private static void assertReply(Decision decision, long remaining, long resetMicros) {
        RuleDecision rule = decision.rules().get(0);
        assertThat(rule.allowed()).isTrue();
        assertThat(rule.remaining()).isEqualTo(remaining);
        assertThat(rule.resetAfter()).isEqualTo(Duration.ofNanos(resetMicros * 1000));
    }

    private static void assertDenied(Decision decision, long retryMicros) {
        assertThat(decision.retryAfter()).contains(Duration.ofNanos(retryMicros * 1000));
    }

    /** All but when the key expires, which differs each time: where that stands, zeros are expected. */
    private void assertState(String key, byte[]... parts) {
        ByteArrayOutputStream state = new ByteArrayOutputStream();
        for (byte[] part : parts) {
            state.writeBytes(part);
        }
        byte[] stored = (byte[]) Objects.requireNonNull(probe.commandBytes(utf8("GET"), utf8(key)));
        String kind = key.substring(2, 4);
        int expiresAt = kind.equals("fw") ? 20 : kind.equals("tb") ? 23 : 53;
        Arrays.fill(stored, expiresAt, expiresAt + (kind.equals("tb") ? 5 : 7), (byte) 0);
        assertThat(stored).isEqualTo(state.toByteArray());
    }

    private void assertExpires(String key, long fromMillis, long toMillis) {
        long left = (long) Objects.requireNonNull(probe.command("PTTL", key));
        assertThat(left).isBetween(fromMillis - 10_000, toMillis);
    }

    private void assertLeaves(String key, Runnable call) {
        byte[] before = dump(key);
        call.run();
        assertThat(dump(key)).isEqualTo(before);
    }

    private void assertPeekAndResetOf(Limiter limiter, String key) {
        Attributes attributes = Attributes.of(Attributes.KEY, "a");
        assertLeaves(key, () -> limiter.peek(attributes));
        assertLeaves(key, () -> limiter.peek(attributes, 1000));
        assertThat(limiter.reset("limit", attributes)).isTrue();
        assertThat(probe.command("EXISTS", key)).isEqualTo(0L);
        assertThat(limiter.reset("limit", attributes)).isFalse();
    }

    private byte[] dump(String key) {
        return (byte[]) Objects.requireNonNull(probe.commandBytes(utf8("DUMP"), utf8(key)));
    }

    private long memory(String key) {
        return (long) Objects.requireNonNull(probe.command("MEMORY", "USAGE", key));
    }

    /** The header of a window of one second, whose entries take 4 bytes. */
    private static byte[] header(
            long last,
            long most,
            long sum,
            long before,
            long forgotten,
            long first,
            long blocks,
            long capacity,
            long gone,
            long oldest,
            long newest) {
        return pack(
                1, 4, 7, last, 7, sum, 1, newest, 7, oldest, 7, before, 7, forgotten, 6, 1_000_000, 3, most, 7, 0, 7, 0,
                3, first, 3, blocks, 3, capacity, 1, gone);
    }

    private static byte[] bucket(long last, long owed, long parts, long period) {
        return pack(7, last, 4, owed, 6, parts, 6, period, 5, 0);
    }

    private static byte[] entry(long micros, int exponent) {
        return pack(4, micros * 32 + exponent);
    }

    /** Pairs of a number of bytes and what stands in them, the highest byte first. */
    private static byte[] pack(long... widthsAndValues) {
        ByteArrayOutputStream packed = new ByteArrayOutputStream();
        for (int i = 0; i < widthsAndValues.length; i += 2) {
            for (long at = widthsAndValues[i] - 1; at >= 0; at--) {
                packed.write((int) (widthsAndValues[i + 1] >>> (8 * at)));
            }
        }
        return packed.toByteArray();
    }

    private static byte[] utf8(String text) {
        return text.getBytes(StandardCharsets.UTF_8);
    }
}
