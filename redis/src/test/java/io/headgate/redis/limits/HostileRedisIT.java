package io.headgate.redis.limits;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.headgate.limits.Attributes;
import io.headgate.limits.CalendarWindow;
import io.headgate.limits.Decision;
import io.headgate.limits.Limit;
import io.headgate.limits.Limiter;
import io.headgate.limits.LimiterException;
import io.headgate.limits.PermitRequest;
import io.headgate.limits.Policy;
import io.headgate.limits.Rule;
import io.headgate.redis.limits.internal.planner.KeyText;
import io.headgate.testkit.RedisProbe;
import io.headgate.testkit.conditions.ServerVersionSensitive;
import io.headgate.testkit.faults.FaultProxy;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.ZoneOffset;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Invalid arguments and foreign values in Redis cause a clear error or a defined decision, and change nothing. Hostile ids have counts of
 * their own.
 */
@Timeout(60)
@ServerVersionSensitive
class HostileRedisIT {

    @RegisterExtension
    final OwnRedis redis = new OwnRedis();

    private static final Duration MINUTE = Duration.ofMinutes(1);
    private static final Policy POLICY = Policy.named("p")
            .rule("fixed", Limit.fixedWindow(10, MINUTE), Attributes.KEY)
            .rule("sliding", Limit.slidingWindow(10, MINUTE), Attributes.KEY)
            .rule("bucket", Limit.tokenBucket(10, 10, MINUTE), Attributes.KEY)
            .rule("day", Limit.calendarWindow(10, CalendarWindow.Unit.DAY, ZoneOffset.UTC), Attributes.KEY)
            .rule("leaky", Limit.leakyBucket(10, 10, MINUTE).shaper(), Attributes.KEY)
            .rule("counter", Limit.slidingCounter(10, MINUTE), Attributes.KEY)
            .build();
    private static final List<String> KEYS = List.of(
            "hg:fw:p:fixed:a",
            "hg:sw:p:sliding:a",
            "hg:tb:p:bucket:a",
            "hg:cw:p:day:a",
            "hg:lb:p:leaky:a",
            "hg:sc:p:counter:a");

    /** The same rules, but counting attempts. */
    private static final Policy COUNTING_ATTEMPTS = withCountedAttempts(POLICY);

    /** Strings that no limit stores, each with a description. */
    private static final Map<String, String> STRINGS = Map.of(
            "empty",
            "",
            "short",
            "1",
            "of 27 bytes",
            "x".repeat(27),
            "of 28 bytes",
            "x".repeat(28),
            "of 28 bytes of zero",
            "\0".repeat(28),
            "of 28 bytes, a bucket with too many missing permits",
            "\6" + "\177".repeat(10) + "\0".repeat(6) + "\1".repeat(11),
            "of 74 bytes of zero",
            "\0".repeat(74),
            "that begins as a sliding window",
            "\4" + "\0".repeat(73),
            "that looks like a sliding window",
            "\5" + "x".repeat(99),
            "long",
            "x".repeat(100_000));

    private final RedisProbe probe = redis.probe;
    private final FaultProxy proxy = redis.proxy;
    private final RedisLimitEngine limits = Engines.builder(
                    Engines.settings(proxy.url()).withTimeout(Duration.ofSeconds(10)))
            .build();

    @AfterEach
    void close() {
        limits.close();
    }

    private static Policy withCountedAttempts(Policy policy) {
        Policy.Builder counting = Policy.named(policy.name());
        policy.rules().forEach(rule -> counting.rule(rule.countingAttempts()));
        return counting.build();
    }

    static Stream<Arguments> foreign_values() {
        List<Arguments> cases = new ArrayList<>();
        for (String key : KEYS) {
            cases.add(Arguments.of(key, "a list", new String[] {"RPUSH", key, "x"}));
            cases.add(Arguments.of(key, "a hash", new String[] {"HSET", key, "x", "y"}));
            cases.add(Arguments.of(key, "a sorted set", new String[] {"ZADD", key, "1", "x"}));
            cases.add(Arguments.of(key, "a stream", new String[] {"XADD", key, "*", "x", "y"}));
            STRINGS.forEach((what, value) -> {
                boolean empty = value.isEmpty() && key.startsWith("hg:sw:");
                boolean window = key.startsWith("hg:fw:") || key.startsWith("hg:cw:");
                boolean counter = key.startsWith("hg:sc:");
                boolean fits = (window && value.length() == 27) || (counter && what.contains("bucket"));
                // GETRANGE can't distinguish an empty string from a missing key, any 27 bytes are a valid window, and
                // the bucket is a valid counter.
                if (!empty && !fits) {
                    cases.add(Arguments.of(key, "a string " + what, new String[] {"SET", key, value}));
                }
            });
        }
        return cases.stream();
    }

    @ParameterizedTest(name = "{1} in the place of {0}")
    @MethodSource("foreign_values")
    void a_foreign_value_causes_an_error_charges_nothing_and_stays(String key, String what, String[] store) {
        Limiter limiter = limits.limiter(POLICY);
        Decision decision = limiter.tryAcquire("a");
        probe.command("DEL", key);
        probe.command(store);
        List<byte[]> before = dumps();

        assertForeignValue(() -> limiter.tryAcquire("a"));
        assertForeignValue(() -> limiter.peek("a"));
        assertForeignValue(() -> limiter.refund("a", decision));
        assertForeignValue(() -> limiter.refundOldest(PermitRequest.of("a")));
        assertForeignValue(() -> limits.limiter(COUNTING_ATTEMPTS).tryAcquire("a"));
        assertForeignValue(() -> limits.limiter(COUNTING_ATTEMPTS)
                .tryAcquire(PermitRequest.of("a").withPermits(11)));

        List<byte[]> after = dumps();
        for (int i = 0; i < KEYS.size(); i++) {
            assertThat(after.get(i)).as(KEYS.get(i)).isEqualTo(before.get(i));
        }
        assertThat(limiter.tryAcquire("b").remaining()).isEqualTo(9);
        assertThat(probe.keysWithoutExpiry("*")).containsExactly(key);
        probe.command("DEL", key);
    }

    /** In a truncated or extended ring, entries would be read or written at wrong positions. */
    @ParameterizedTest
    @ValueSource(ints = {71, 100, 134, 136, 150, 200, 300, 1000, -1, -7, -71})
    void a_truncated_or_extended_sliding_window_causes_an_error_and_charges_no_rule(int length) {
        Policy policy = Policy.named("p")
                .rule("fixed", Limit.fixedWindow(1000, MINUTE), Attributes.KEY)
                .rule("sliding", Limit.slidingWindow(200, MINUTE.multipliedBy(3)), Attributes.KEY)
                .rule("later", Limit.fixedWindow(1000, MINUTE), Attributes.KEY)
                .build();
        Decision decision = limits.limiter(policy).tryAcquire("a");
        for (int i = 0; i < 39; i++) {
            limits.limiter(policy).tryAcquire("a");
        }
        byte[] whole = (byte[]) Objects.requireNonNull(probe.commandBytes(utf8("GET"), utf8(KEYS.get(1))));
        byte[] other = Arrays.copyOf(whole, length > 0 ? length : whole.length - length);
        probe.commandBytes(utf8("SET"), utf8(KEYS.get(1)), other, utf8("KEEPTTL"));
        List<String> keys = List.of(KEYS.get(0), KEYS.get(1), "hg:fw:p:later:a");
        Policy shorter = Policy.named("p")
                .rule("fixed", Limit.fixedWindow(1000, MINUTE), Attributes.KEY)
                .rule("sliding", Limit.slidingWindow(100, Duration.ofMillis(500)), Attributes.KEY)
                .rule("later", Limit.fixedWindow(1000, MINUTE), Attributes.KEY)
                .build();
        List<byte[]> before = dumps(keys);

        assertForeignValue(
                () -> limits.limiter(shorter).tryAcquire(PermitRequest.of("a").withPermits(3)));
        assertForeignValue(
                () -> limits.limiter(policy).tryAcquire(PermitRequest.of("a").withPermits(3)));
        assertForeignValue(() -> limits.limiter(policy).refund("a", decision));
        assertForeignValue(
                () -> limits.limiter(policy).refundOldest(PermitRequest.of("a").withPermits(20)));

        List<byte[]> after = dumps(keys);
        for (int i = 0; i < keys.size(); i++) {
            assertThat(after.get(i)).as(keys.get(i)).isEqualTo(before.get(i));
        }
    }

    private static void assertForeignValue(Runnable call) {
        assertThatThrownBy(call::run)
                .isInstanceOfSatisfying(LimiterException.class, failure -> assertThat(failure.mayBeCharged())
                        .isFalse())
                .hasMessageMatching("(acquire .*; nothing was charged|refund .*; nothing was refunded|peek [^;]*): .*")
                .hasMessageContaining("the key holds something that Headgate did not store")
                .hasMessageContaining(KEYS.get(0));
    }

    private List<byte[]> dumps() {
        return dumps(KEYS);
    }

    private List<byte[]> dumps(List<String> keys) {
        return keys.stream()
                .map(key -> (byte[]) probe.commandBytes(utf8("DUMP"), utf8(key)))
                .toList();
    }

    @Test
    void hostile_ids_have_separate_counts_and_keys_of_bounded_length() {
        List<String> ids = List.of(
                "x".repeat(1_000_000),
                "y".repeat(1_000_000),
                "\n",
                "\r\n",
                "\0",
                " ",
                "{",
                "{}",
                "{a}",
                "a,b",
                "a",
                "b",
                "a%2Cb",
                "\ud83d\ude00",
                "\ud83d",
                "\ude00",
                "\ufffd",
                "?",
                "*",
                "hg:fw:p:fixed:a",
                "é",
                "e\u0301");
        Limiter limiter = limits.limiter(POLICY);
        for (String id : ids) {
            assertThat(limiter.tryAcquire(id).remaining()).isEqualTo(9);
        }
        for (String id : ids) {
            assertThat(limiter.tryAcquire(PermitRequest.of(id).withPermits(2)).remaining())
                    .isEqualTo(7);
        }
        List<?> keys = (List<?>) probe.command("KEYS", "*");
        assertThat(keys).hasSize(ids.size() * KEYS.size()).allSatisfy(key -> assertThat((String) key)
                .hasSizeLessThanOrEqualTo("hg:sw:p:sliding:".length() + KeyText.MAX_LENGTH)
                .matches("hg:(fw|sw|tb|cw|lb|sc):p:[a-z]+:[!-z|~]+"));
    }

    @Test
    void ids_with_commas_never_share_a_count() {
        Policy pair = Policy.named("pair")
                .rule("both", Limit.slidingWindow(10, MINUTE), Attributes.USER, Attributes.IP)
                .build();
        Limiter limiter = limits.limiter(pair);
        List<List<String>> pairs =
                List.of(List.of("a", "b,c"), List.of("a,b", "c"), List.of("a%2Cb", "c"), List.of(",", ","));
        for (List<String> ids : pairs) {
            Attributes attributes = Attributes.of(Attributes.USER, ids.get(0)).with(Attributes.IP, ids.get(1));
            assertThat(limiter.tryAcquire(PermitRequest.of(attributes)).remaining())
                    .isEqualTo(9);
        }
    }

    @ParameterizedTest
    @ValueSource(longs = {0, -1, Long.MIN_VALUE})
    void permits_below_one_are_an_error_before_anything_is_sent(long permits) {
        Limiter limiter = limits.limiter(POLICY);
        limiter.tryAcquire("a");
        Map<String, Long> before = proxy.commandsSeen();
        Attributes attributes = Attributes.of(Attributes.KEY, "a");
        List<Runnable> calls = List.of(
                () -> limiter.tryAcquire(PermitRequest.of("a").withPermits(permits)),
                () -> limiter.peek(PermitRequest.of(attributes).withPermits(permits)),
                () -> limiter.async().tryAcquire(PermitRequest.of("a").withPermits(permits)),
                () -> limiter.async().peek(PermitRequest.of(attributes).withPermits(permits)));
        for (Runnable call : calls) {
            assertThatThrownBy(call::run)
                    .isInstanceOf(IllegalArgumentException.class)
                    .hasMessageContaining("permits must be at least 1, was " + permits);
        }
        assertThat(proxy.commandsSeen()).isEqualTo(before);
    }

    @Test
    void a_missing_dimension_or_rule_is_an_error_before_anything_is_sent() {
        Limiter limiter = limits.limiter(POLICY);
        limiter.tryAcquire("a");
        Map<String, Long> before = proxy.commandsSeen();
        List<Runnable> calls = List.of(
                () -> limiter.tryAcquire(PermitRequest.global()),
                () -> limiter.tryAcquire(""),
                () -> limiter.peek(PermitRequest.global()),
                () -> limiter.resetRule("absent", Attributes.of(Attributes.KEY, "a")),
                () -> limiter.resetRule("fixed", Attributes.none()));
        for (Runnable call : calls) {
            assertThatThrownBy(call::run).isInstanceOf(IllegalArgumentException.class);
        }
        assertThat(proxy.commandsSeen()).isEqualTo(before);
    }

    @ParameterizedTest
    @ValueSource(longs = {11, 1L << 31, (1L << 53) + 1, Long.MAX_VALUE})
    void more_permits_than_a_limit_are_denied_without_a_retry_time_and_store_nothing(long permits) {
        for (Rule rule : POLICY.rules()) {
            Limiter limiter = limits.limiter("many", rule.limit());
            assertThat(limiter.tryAcquire(PermitRequest.of("a").withPermits(permits)))
                    .satisfies(decision -> {
                        assertThat(decision.denied()).isTrue();
                        assertThat(decision.retryAfter()).isEmpty();
                        assertThat(decision.remaining()).isEqualTo(10);
                    });
        }
        assertThat(probe.command("DBSIZE")).isEqualTo(0L);
    }

    @Test
    void a_limit_of_zero_denies_everything_and_stores_nothing() {
        for (Limit limit : List.of(
                Limit.fixedWindow(0, MINUTE),
                Limit.fixedWindow(0, MINUTE).fromFirstRequest(),
                Limit.slidingWindow(0, MINUTE),
                Limit.tokenBucket(0, 10, MINUTE),
                Limit.leakyBucket(0, 10, MINUTE),
                Limit.calendarWindow(0, CalendarWindow.Unit.MONTH, ZoneOffset.UTC),
                Limit.slidingCounter(0, MINUTE))) {
            assertThat(limits.limiter("zero", limit).tryAcquire("a")).satisfies(decision -> {
                assertThat(decision.denied()).isTrue();
                assertThat(decision.limit()).isZero();
                assertThat(decision.remaining()).isZero();
                assertThat(decision.retryAfter()).isEmpty();
                assertThat(decision.resetAfter()).isZero();
            });
        }
        assertThat(probe.command("DBSIZE")).isEqualTo(0L);
    }

    private static byte[] utf8(String text) {
        return text.getBytes(StandardCharsets.UTF_8);
    }
}
