package io.headgate.limits;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.headgate.limits.Rule.LimitOverride;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;

class OverridesTest {

    private static final Duration MINUTE = Duration.ofMinutes(1);
    private static final Policy API = Policy.named("api")
            .rule("per-user", Limit.slidingWindow(10, MINUTE), Attributes.USER)
            .override("per-user", Attributes.of("user", "alice"), Limit.slidingWindow(50, MINUTE))
            .override("per-user", Attributes.of("plan", "gold"), Limit.slidingWindow(100, MINUTE))
            .build();

    private long nowMicros = 1_800_000_000_000_000L;

    private final InMemoryLimitEngine limits =
            InMemoryLimitEngine.builder().time(() -> nowMicros).build();
    private final Limiter limiter = limits.limiter(API);

    private static Limit window(long permits) {
        return Limit.slidingWindow(permits, MINUTE);
    }

    /** Attributes such as {@code user=alice plan=gold}. */
    private static Attributes attributes(String text) {
        Map<String, String> all = new LinkedHashMap<>();
        Stream.of(text.split(" ")).map(one -> one.split("=")).forEach(one -> all.put(one[0], one[1]));
        return Attributes.of(all);
    }

    private static Map<String, String> when(String text) {
        return attributes(text).asMap();
    }

    private static PermitRequest from(String attributes) {
        return PermitRequest.of(attributes(attributes));
    }

    @ParameterizedTest(name = "{0}: {1}")
    @CsvSource({
        "user=bob endpoint=/a,                                 1",
        "user=bob endpoint=/a plan=silver,                     1",
        "user=bob endpoint=/a plan=gold,                       2",
        "user=bob endpoint=/a region=eu,                       3",
        "user=bob endpoint=/a plan=gold region=us,             2",
        // Two attributes precede one.
        "user=bob endpoint=/a plan=gold region=eu,             4",
        // An override of two attributes does not match if only one of them is equal.
        "user=bob endpoint=/a plan=silver region=eu,           3",
        // An attribute that no override names has no effect.
        "user=bob endpoint=/a plan=gold tier=1,                2",
        // A dimension of the rule precedes any number of other attributes.
        "user=alice endpoint=/a,                               5",
        "user=alice endpoint=/a plan=gold region=eu,           5",
        "user=carol endpoint=/export plan=gold,                7",
        "user=alice endpoint=/export,                          6",
        "user=alice endpoint=/export plan=gold region=eu,      6",
        // A dimension and another attribute precede the dimension alone.
        "user=alice endpoint=/b plan=trial,                    8",
        // An override may keep the limit of the rule, and precede others.
        "user=dave endpoint=/a plan=gold region=eu,            1",
        // Values are case-sensitive.
        "user=ALICE endpoint=/a,                               1",
    })
    void the_most_specific_override_applies(String request, long limit) {
        List<LimitOverride> overrides = new ArrayList<>(List.of(
                new LimitOverride("calls", when("plan=gold"), window(2)),
                new LimitOverride("calls", when("region=eu"), window(3)),
                new LimitOverride("calls", when("plan=gold region=eu"), window(4)),
                new LimitOverride("calls", when("user=alice"), window(5)),
                new LimitOverride("calls", when("user=alice endpoint=/export"), window(6)),
                new LimitOverride("calls", when("endpoint=/export"), window(7)),
                new LimitOverride("calls", when("user=alice plan=trial"), window(8)),
                new LimitOverride("calls", when("user=dave"), window(1))));
        for (int seed = 0; seed < 20; seed++) {
            Collections.shuffle(overrides, new Random(seed));
            Policy policy = Policy.named("calls")
                    .rule("calls", window(1), "user", "endpoint")
                    .build()
                    .withOverrides(overrides);
            Decision decision = limits.limiter(policy).peek(from(request));
            assertThat(decision.limit()).as("with %s", overrides).isEqualTo(limit);
        }
    }

    @Test
    void among_equally_many_attributes_the_first_name_in_alphabetical_order_applies() {
        LimitOverride plan = new LimitOverride("per-user", when("plan=gold"), window(2));
        LimitOverride region = new LimitOverride("per-user", when("region=eu"), window(3));
        for (List<LimitOverride> overrides : List.of(List.of(plan, region), List.of(region, plan))) {
            limiter.update(API.withOverrides(overrides));
            assertThat(limiter.peek(from("user=bob plan=gold region=eu")).limit())
                    .isEqualTo(2);
        }
    }

    @Test
    void a_decision_reports_the_limit_that_applied() {
        Decision decision = limiter.tryAcquire(from("user=bob plan=gold").withPermits(60));
        assertThat(decision.allowed()).isTrue();
        assertThat(decision.limit()).isEqualTo(100);
        assertThat(decision.remaining()).isEqualTo(40);
        assertThat(decision.rules().get(0).rule()).isEqualTo(Rule.of("per-user", window(100), "user"));
        assertThat(limiter.tryAcquire("alice").limit()).isEqualTo(50);
        assertThat(limiter.tryAcquire("carol").limit()).isEqualTo(10);
        assertThat(limiter.policy()).isEqualTo(API);
    }

    @Test
    void requests_with_and_without_an_override_share_the_counts_of_their_key() {
        limiter.tryAcquire(from("user=bob plan=gold").withPermits(9));
        assertThat(limiter.tryAcquire("bob").remaining()).isZero();
        assertThat(limiter.tryAcquire("bob").denied()).isTrue();
        assertThat(limiter.tryAcquire(from("user=bob plan=gold")).remaining()).isEqualTo(89);
    }

    @Test
    void each_rule_of_a_policy_has_overrides_of_its_own() {
        Limiter both = limits.limiter(Policy.named("both")
                .rule("global", window(40))
                .rule("per-user", window(10), "user")
                .override("global", attributes("plan=gold"), window(60))
                .override("per-user", attributes("plan=gold"), window(30))
                .override("per-user", attributes("user=alice"), window(20))
                .build());
        assertThat(limitsOf(both, "user=bob")).containsExactly(40L, 10L);
        assertThat(limitsOf(both, "user=alice")).containsExactly(40L, 20L);
        assertThat(limitsOf(both, "user=bob plan=gold")).containsExactly(60L, 30L);
        assertThat(limitsOf(both, "user=alice plan=gold")).containsExactly(60L, 20L);
    }

    private static List<Long> limitsOf(Limiter limiter, String attributes) {
        return limiter.tryAcquire(from(attributes)).rules().stream()
                .map(RuleDecision::limit)
                .toList();
    }

    @Test
    void an_override_keeps_the_options_of_its_rule() {
        Limiter shadow = limits.limiter(Policy.named("shadow")
                .rule(Rule.of("calls", window(0)).inShadow().countingAttempts())
                .override("calls", attributes("plan=gold"), window(1))
                .build());
        Decision decision = shadow.tryAcquire(from("plan=gold").withPermits(2));
        assertThat(decision.allowed()).isTrue();
        assertThat(decision.deniedInShadow()).containsExactly("calls");
        assertThat(decision.rules().get(0).rule().countsAttempts()).isTrue();
    }

    @Test
    void a_refund_needs_only_the_id_and_uses_the_limit_of_its_decision() {
        Limiter buckets = limits.limiter(Policy.named("buckets")
                .rule("per-user", Limit.tokenBucket(10, 1, MINUTE), "user")
                .override("per-user", attributes("plan=gold"), Limit.tokenBucket(100, 60, MINUTE))
                .build());
        Decision decision = buckets.tryAcquire(from("user=bob plan=gold").withPermits(100));
        nowMicros += Duration.ofSeconds(30).toMillis() * 1000;
        // At the rate of the rule itself, half a permit would have been refilled, instead of 30.
        assertThat(buckets.refund("bob", decision)).isEqualTo(70);
        assertThat(buckets.refund("bob", decision)).isZero();
        assertThat(buckets.peek(from("user=bob plan=gold")).remaining()).isEqualTo(100);
    }

    @Test
    void a_refund_after_an_update_uses_the_limit_of_a_new_request() {
        Limiter buckets = limits.limiter(Policy.of("updated", Limit.tokenBucket(10, 1, MINUTE), "user"));
        Decision decision = buckets.tryAcquire(PermitRequest.of("bob").withPermits(10));
        buckets.update(buckets.policy()
                .withOverrides(List.of(
                        new LimitOverride(Policy.ONLY_RULE, when("user=bob"), Limit.tokenBucket(20, 60, MINUTE)))));
        nowMicros += 1_000_000;
        assertThat(buckets.refund("bob", decision)).isEqualTo(9);
    }

    @Test
    void refund_oldest_reset_and_request_ids_work_with_overrides() {
        PermitRequest gold = from("user=bob plan=gold").withPermits(50);
        Decision first = limiter.tryAcquire(gold.withId(RequestId.of("1")));
        assertThat(limiter.tryAcquire(gold.withId(RequestId.of("1")))).isEqualTo(first);
        assertThat(limiter.refundOldest(from("user=bob").withPermits(20))).isEqualTo(20);
        assertThat(limiter.peek(gold).remaining()).isEqualTo(70);
        assertThat(limiter.reset("bob")).isTrue();
        assertThat(limiter.peek(gold).remaining()).isEqualTo(100);
        PermitRequest once = from("user=bob plan=gold").withId(RequestId.of("2"));
        limiter.tryAcquire(once);
        assertThatThrownBy(() -> limiter.tryAcquire(PermitRequest.of("bob").withId(RequestId.of("2"))))
                .isInstanceOf(LimiterException.class)
                .hasMessageContaining("another version of the policy");
    }

    @Test
    void an_update_of_the_overrides_keeps_the_counts() {
        limiter.tryAcquire(PermitRequest.of("alice").withPermits(40));
        limiter.update(API.withOverrides(List.of(new LimitOverride("per-user", when("user=alice"), window(45)))));
        assertThat(limiter.tryAcquire("alice").remaining()).isEqualTo(4);
        limiter.update(API.withOverrides(List.of()));
        assertThat(limiter.tryAcquire("alice").denied()).isTrue();
        assertThat(limiter.policy().overrides()).isEmpty();
        limiter.update(API);
        assertThat(limiter.tryAcquire("alice").remaining()).isEqualTo(8);
    }

    @Test
    void an_update_of_the_overrides_wakes_waiting_requests() throws InterruptedException {
        limiter.tryAcquire(PermitRequest.of("bob").withPermits(10));
        var waiting = limiter.async().acquire(PermitRequest.of("bob"), Duration.ofHours(1));
        limiter.update(API.withOverrides(List.of(new LimitOverride("per-user", when("user=bob"), window(11)))));
        assertThat(waiting.toCompletableFuture().join().remaining()).isZero();
    }

    @Test
    void a_request_does_not_wait_behind_one_with_a_lower_limit() {
        limiter.tryAcquire(PermitRequest.of("bob").withPermits(10));
        var denied = limiter.async().acquire(PermitRequest.of("bob"), Duration.ofHours(1));
        var gold = limiter.async().acquire(from("user=bob plan=gold"), Duration.ofHours(1));
        assertThat(gold.toCompletableFuture()).isCompleted();
        assertThat(denied.toCompletableFuture()).isNotDone();
        limiter.reset("bob");
        assertThat(denied.toCompletableFuture().join().allowed()).isTrue();
    }

    @Test
    void policies_that_differ_in_the_order_of_their_overrides_are_equal() {
        List<LimitOverride> reversed = new ArrayList<>(API.overrides());
        Collections.reverse(reversed);
        Policy same = API.withOverrides(reversed);
        assertThat(same).isEqualTo(API).hasSameHashCodeAs(API);
        assertThat(same.overrides()).isEqualTo(API.overrides());
        assertThat(API.withOverrides(reversed.subList(0, 1))).isNotEqualTo(API);
        assertThat(API.withOverrides(List.of()))
                .isEqualTo(
                        Policy.named("api").rule("per-user", window(10), "user").build());
    }

    static Stream<Object[]> wrong_overrides() {
        return Stream.of(
                new Object[] {
                    "per-usr",
                    "user=alice",
                    window(5),
                    "policy api has an override of rule per-usr, which it does not have; it has [per-user]"
                },
                new Object[] {
                    "per-user",
                    "user=alice",
                    Limit.fixedWindow(5, MINUTE),
                    "the override of rule per-user of policy api for {user=alice} must have a limit of the same kind as the"
                            + " rule, SlidingWindow[permits=10, window=PT1M], was FixedWindow[permits=5, window=PT1M,"
                            + " alignment=CLOCK]"
                });
    }

    @ParameterizedTest
    @MethodSource("wrong_overrides")
    void a_wrong_override_is_rejected(String rule, String when, Limit limit, String message) {
        assertThatThrownBy(() -> API.withOverrides(List.of(new LimitOverride(rule, when(when), limit))))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessage(message);
    }

    @Test
    void an_override_does_not_turn_a_meter_into_a_shaper() {
        Policy meter = Policy.of("meter", Limit.leakyBucket(10, 1, MINUTE));
        Limit shaper = Limit.leakyBucket(20, 1, MINUTE).shaper();
        assertThatThrownBy(() ->
                        meter.withOverrides(List.of(new LimitOverride(Policy.ONLY_RULE, when("plan=gold"), shaper))))
                .hasMessageContaining("must have a limit of the same kind as the rule")
                .hasMessageContaining("METER")
                .hasMessageContaining("SHAPER");
    }

    @Test
    void a_policy_names_the_attributes_of_its_overrides() {
        assertThat(API.overrideAttributes()).containsExactly("plan", "user");
        assertThat(API.withOverrides(List.of()).overrideAttributes()).isEmpty();
    }

    @Test
    void an_override_needs_attributes_with_values() {
        assertThatThrownBy(() -> new LimitOverride("per-user", Map.of(), window(1)))
                .hasMessage("number of attributes of an override of rule per-user must be from 1 to 8, was 0");
        assertThatThrownBy(() -> new LimitOverride("per-user", Map.of("plan", ""), window(1)))
                .hasMessage("number of characters of attribute plan of an override of rule per-user must be from 1 to"
                        + " 1024, was 0");
        assertThatThrownBy(() -> new LimitOverride("per-user", Map.of("plan", "x".repeat(1025)), window(1)))
                .hasMessageEndingWith("from 1 to 1024, was 1025");
    }

    @Test
    void the_same_attributes_twice_are_rejected() {
        assertThatThrownBy(() -> Policy.named("api")
                        .rule("per-user", window(10), "user")
                        .override("per-user", attributes("plan=gold region=eu"), window(20))
                        .override("per-user", attributes("region=eu plan=gold"), window(30))
                        .build())
                .hasMessageMatching(
                        "the override of rule per-user of policy api for \\{.*} is there twice; remove one of"
                                + " them");
    }

    @Test
    void a_leased_policy_takes_only_overrides_that_can_be_leased() {
        Policy.Builder leased = Policy.named("leased")
                .rule("per-user", Limit.slidingWindow(100, Duration.ofHours(1)), "user")
                .override("per-user", attributes("plan=gold"), Limit.slidingWindow(100, Duration.ofMillis(500)));
        assertThatThrownBy(() -> leased.leased(Duration.ofSeconds(1)).build())
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("PT0.5S");
        // The default lease is short enough for all limits.
        assertThat(leased.leased().build().lease()).contains(Duration.ofMillis(10));
    }

    @Test
    void overrides_match_by_at_most_16_sets_of_attribute_names() {
        List<LimitOverride> overrides = IntStream.range(0, 17)
                .mapToObj(i -> new LimitOverride("per-user", Map.of("name-" + i, "a"), window(i)))
                .toList();
        assertThat(API.withOverrides(overrides.subList(0, 16)).overrides()).hasSize(16);
        assertThatThrownBy(() -> API.withOverrides(overrides))
                .hasMessageContaining("must have overrides by at most 16 sets of attribute names")
                .hasMessageContaining("[name-9] is one more than [[name-0], ");
    }

    @Test
    void a_policy_has_up_to_100_000_overrides_and_finds_each() {
        List<LimitOverride> many = IntStream.range(0, 100_000)
                .mapToObj(i -> new LimitOverride("per-user", Map.of("user", "user-" + i), window(i % 5000)))
                .toList();
        Policy policy = API.withOverrides(many);
        limiter.update(policy);
        for (int i = 0; i < many.size(); i += 7) {
            assertThat(limiter.peek("user-" + i).limit()).isEqualTo(i % 5000);
        }
        assertThat(limiter.peek("user-100000").limit()).isEqualTo(10);
        assertThat(policy.toString()).hasSizeLessThan(3000).contains("and 99990 more");
        List<LimitOverride> tooMany = new ArrayList<>(many);
        tooMany.add(new LimitOverride("per-user", Map.of("plan", "gold"), window(1)));
        assertThatThrownBy(() -> API.withOverrides(tooMany))
                .hasMessage("number of overrides of policy api must be from 0 to 100000, was 100001");
    }
}
