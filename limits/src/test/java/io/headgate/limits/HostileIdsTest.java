package io.headgate.limits;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.function.BiFunction;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/** In memory, any string except the empty one is an id with a count of its own. Invalid attributes are an error and charge nothing. */
class HostileIdsTest {

    private static final Duration MINUTE = Duration.ofMinutes(1);

    /** Different ids, some of which look alike. */
    private static final List<String> IDS = List.of(
            "x".repeat(1_000_000),
            "x".repeat(999_999),
            "x".repeat(999_999) + "y",
            "y" + "x".repeat(999_999),
            "\n",
            "\r\n",
            "\r",
            "\t",
            " ",
            "  ",
            "\0",
            "\0\0",
            "a\0",
            "a",
            "a ",
            " a",
            "A",
            "\u0430", // a Cyrillic a
            "{",
            "}",
            "{}",
            "{a}",
            "[a]",
            "a,b",
            "a%2Cb",
            "%00",
            "*",
            "null",
            "limit",
            // Two ids with the same hash code.
            "Aa",
            "BB",
            // One character in two encodings.
            "\u00e9",
            "e\u0301",
            // Surrogates that UTF-8 can't encode, and characters that replace them.
            "\ud83d\ude00",
            "\ud83d",
            "\ude00",
            "\ude00\ud83d",
            "\ufffd",
            "?",
            "\ufeff",
            "\u202ea");

    private static final Policy POLICY = Policy.named("p")
            .rule("fixed", Limit.fixedWindow(100, MINUTE), Attributes.KEY)
            .rule("sliding", Limit.slidingWindow(100, MINUTE), Attributes.KEY)
            .rule("bucket", Limit.tokenBucket(100, 100, MINUTE), Attributes.KEY)
            .build();
    private static final Policy PAIR = Policy.of("pair", Limit.slidingWindow(100, MINUTE), "first", "second");

    private final InMemoryLimitEngine limits =
            InMemoryLimitEngine.builder().time(() -> 1_800_000_000_000_000L).build();

    @Test
    void every_id_has_a_count_of_its_own() {
        Limiter limiter = limits.limiter(POLICY);
        // A different number of permits for each id, so that mixed up counts are noticed.
        for (int i = 0; i < IDS.size(); i++) {
            assertThat(limiter.tryAcquire(PermitRequest.of(IDS.get(i)).withPermits(i + 1))
                            .remaining())
                    .isEqualTo(99 - i);
        }
        assertThat(limits.keys()).isEqualTo(3L * IDS.size());
        for (int i = 0; i < IDS.size(); i++) {
            assertThat(limiter.peek(copy(IDS.get(i))).rules())
                    .extracting(RuleDecision::remaining)
                    .containsOnly(99L - i);
        }
        for (String id : IDS) {
            assertThat(limiter.resetRule("sliding", Attributes.of(Attributes.KEY, id)))
                    .isTrue();
        }
        assertThat(limits.keys()).isEqualTo(2L * IDS.size());
    }

    @Test
    void a_pair_of_ids_has_a_count_of_its_own() {
        List<List<String>> pairs = List.of(
                List.of("a", "b"),
                List.of("b", "a"),
                List.of("a,", "b"),
                List.of("a", ",b"),
                List.of("a", "b, c"),
                List.of("a, b", "c"),
                List.of("ab", "\0"),
                List.of("a", "b\0"),
                List.of("[a", "b]"),
                List.of("\ud83d", "\ude00"),
                List.of("\ud83d\ude00", "\ud83d\ude00"),
                // Two lists with the same hash code.
                List.of("Aa", "BB"),
                List.of("BB", "Aa"),
                List.of("Aa", "Aa"));
        Limiter limiter = limits.limiter(PAIR);
        for (int i = 0; i < pairs.size(); i++) {
            assertThat(limiter.tryAcquire(PermitRequest.of(pair(pairs.get(i))).withPermits(i + 1))
                            .remaining())
                    .isEqualTo(99 - i);
        }
        for (int i = 0; i < pairs.size(); i++) {
            assertThat(limiter.peek(PermitRequest.of(pair(pairs.get(i)))).remaining())
                    .isEqualTo(99 - i);
        }
    }

    static Stream<Arguments> invalid_attributes() {
        String megabyte = "x".repeat(1_000_000);
        return Stream.of(
                wrong(
                        POLICY,
                        Map.of(Attributes.KEY, ""),
                        "rule fixed counts by \"key\", which is empty in the request; give at least one character"),
                wrong(POLICY, Map.of(), "rule fixed counts by \"key\", which the request does not have; it has []"),
                wrong(
                        POLICY,
                        Map.of("Key", megabyte),
                        "rule fixed counts by \"key\", which the request does not have; it has [Key]"),
                wrong(
                        PAIR,
                        Map.of("first", megabyte),
                        "rule limit counts by \"second\", which the request does not have; it has [first]"),
                wrong(
                        POLICY,
                        Map.of("", "a"),
                        "name of an attribute must be 1 to 64 of A-Z a-z 0-9 . _ - and begin with a letter or digit,"
                                + " was \"\""),
                wrong(
                        POLICY,
                        Map.of("key\n\ud83d", "a"),
                        "name of an attribute must be 1 to 64 of A-Z a-z 0-9 . _ - and begin with a letter or digit,"
                                + " was \"key\\u000a\\ud83d\""),
                wrong(
                        POLICY,
                        Map.of(megabyte, "a"),
                        "name of an attribute must be 1 to 64 of A-Z a-z 0-9 . _ - and begin with a letter or digit,"
                                + " was \"" + "x".repeat(80) + "\" (1000000 characters)"));
    }

    private static Arguments wrong(Policy policy, Map<String, String> attributes, String message) {
        return Arguments.of(policy, attributes, message);
    }

    @ParameterizedTest(name = "[{index}]")
    @MethodSource("invalid_attributes")
    void invalid_attributes_charge_nothing(Policy policy, Map<String, String> attributes, String message) {
        Limiter limiter = limits.limiter(policy);
        List<BiFunction<Limiter, PermitRequest, ?>> calls = List.of(
                Limiter::tryAcquire,
                Limiter::peek,
                (any, request) -> any.async().tryAcquire(request),
                (any, request) -> any.async().peek(request));
        for (BiFunction<Limiter, PermitRequest, ?> call : calls) {
            assertThatThrownBy(() -> call.apply(limiter, PermitRequest.of(Attributes.of(attributes))))
                    .isInstanceOf(IllegalArgumentException.class)
                    .hasMessage(message);
        }
        assertThat(limits.keys()).isZero();
    }

    @Test
    void an_empty_id_is_an_error_and_charges_nothing() {
        Limiter limiter = limits.limiter(POLICY);
        assertThatThrownBy(() -> limiter.tryAcquire(""))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessage("id must not be empty; give at least one character");
        assertThatThrownBy(() -> limiter.peek(""))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessage("id must not be empty; give at least one character");
        assertThat(limits.keys()).isZero();
    }

    @Test
    void if_a_later_rule_lacks_its_id_no_rule_is_charged() {
        Limiter limiter = limits.limiter(Policy.named("both")
                .rule("global", Limit.slidingWindow(100, MINUTE))
                .rule("per-user", Limit.slidingWindow(100, MINUTE), Attributes.USER)
                .build());
        limiter.tryAcquire(PermitRequest.of(Attributes.of(Attributes.USER, "a")));
        assertThatThrownBy(() -> limiter.tryAcquire(PermitRequest.of(Attributes.of(Attributes.USER, ""))))
                .isInstanceOf(IllegalArgumentException.class);
        assertThat(limiter.peek(PermitRequest.of(Attributes.of(Attributes.USER, "a")))
                        .rules())
                .extracting(RuleDecision::remaining)
                .containsExactly(99L, 99L);
    }

    private static Attributes pair(List<String> ids) {
        return Attributes.of("first", ids.get(0)).with("second", ids.get(1));
    }

    /** Returns an equal string that is another object, as in the next request. */
    private static String copy(String id) {
        return String.copyValueOf(id.toCharArray());
    }
}
