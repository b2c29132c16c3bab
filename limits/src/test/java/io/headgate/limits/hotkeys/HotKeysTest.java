package io.headgate.limits.hotkeys;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;

import io.headgate.limits.Attributes;
import io.headgate.limits.Decision;
import io.headgate.limits.InMemoryLimitEngine;
import io.headgate.limits.Limit;
import io.headgate.limits.Limiter;
import io.headgate.limits.Policy;
import io.headgate.limits.Rule;
import io.headgate.limits.internal.decision.EngineDecisions;
import io.headgate.limits.internal.decision.EngineRuleDecision;
import java.time.Duration;
import java.time.Instant;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

/** Compares reported hot keys with exact counts of the same decisions. */
class HotKeysTest {

    private static final Rule GLOBAL = Rule.of("global", Limit.fixedWindow(1000, Duration.ofMinutes(1)));
    private static final Rule PER_USER = Rule.of("per-user", Limit.fixedWindow(5, Duration.ofMinutes(1)), "user");
    private static final Rule BOTH = Rule.of("both", Limit.fixedWindow(5, Duration.ofMinutes(1)), "user", "ip");
    private static final Policy POLICY =
            Policy.named("api").rule(GLOBAL).rule(PER_USER).rule(BOTH).build();
    private static final Policy SIMPLE = Policy.named("simple").rule(PER_USER).build();

    private static final Instant NOON = Instant.parse("2026-11-21T12:00:00Z");
    private static final long NOON_MICROS = NOON.getEpochSecond() * 1_000_000;
    private static final long SECOND = 1_000_000;

    /** The microseconds between decisions, enough that each is counted: fewer than 256 in 262 ms. */
    private static final long SLOWLY = 1100;

    private final HotKeys hot = HotKeys.create();

    @Test
    void keys_of_rules_with_dimensions_and_of_the_denying_rule_are_counted() {
        Attributes alice = Attributes.of(Map.of("user", "alice", "ip", "192.0.2.7"));
        hot.onDecision(POLICY, alice, 1, allowed(POLICY, NOON_MICROS), 0);
        hot.onDecision(POLICY, alice, 1, denied(POLICY, PER_USER, NOON_MICROS), 0);
        hot.onDecision(POLICY, alice, 1, denied(POLICY, GLOBAL, NOON_MICROS), 0);
        TopKeys top = top("api", NOON);
        assertThat(top.requested())
                .isEqualTo(new KeyCounts(
                        3,
                        0,
                        List.of(
                                new HotKey("both", List.of("alice", "192.0.2.7"), 3, 0),
                                new HotKey("per-user", List.of("alice"), 3, 0))));
        assertThat(top.denied())
                .isEqualTo(new KeyCounts(
                        2,
                        0,
                        List.of(
                                new HotKey("global", List.of(), 1, 0),
                                new HotKey("per-user", List.of("alice"), 1, 0))));
        assertThat(top.oneIn()).isOne();
        assertThat(top.requested().share(top.requested().keys().get(0))).isOne();
        assertThat(hot.policies()).containsExactly("api");
    }

    @Test
    void a_cached_denial_is_counted_too() {
        Attributes attributes = Attributes.of(Map.of("user", "alice", "ip", "192.0.2.7"));
        hot.onDecision(
                POLICY,
                attributes,
                1,
                EngineDecisions.cachedDenial(POLICY, NOON_MICROS, EngineRuleDecision.denied(PER_USER, 0, 7, 9)),
                0);
        assertThat(top("api", NOON).requested().total()).isOne();
        assertThat(top("api", NOON).denied().keys()).containsExactly(new HotKey("per-user", List.of("alice"), 1, 0));
    }

    @Test
    void counts_of_a_skewed_stream_are_within_their_errors_and_the_errors_within_the_bound() {
        int counters = 100;
        HotKeys few = HotKeys.withCounters(counters);
        Random random = new Random(7);
        double[] zipf = zipf(20_000, 1.0);
        Map<String, Long> asked = new HashMap<>();
        Map<String, Long> denied = new HashMap<>();
        int decisions = 50_000;
        for (int i = 0; i < decisions; i++) {
            String user = "user-" + draw(zipf, random);
            asked.merge(user, 1L, Long::sum);
            boolean deny = asked.getOrDefault(user, 0L) > 5;
            if (deny) {
                denied.merge(user, 1L, Long::sum);
            }
            long at = NOON_MICROS + i * SLOWLY;
            few.onDecision(SIMPLE, user(user), 1, deny ? denied(SIMPLE, PER_USER, at) : allowed(SIMPLE, at), 0);
        }
        TopKeys top = few.top("simple", NOON).orElseThrow();
        assertThat(top.oneIn()).isOne();
        assertWithinBounds(top.requested(), asked, decisions, counters);
        assertWithinBounds(
                top.denied(), denied, denied.values().stream().mapToLong(n -> n).sum(), counters);
    }

    @Test
    void merged_counts_of_several_instances_are_within_the_bound() {
        int counters = 100;
        List<HotKeys> parts =
                List.of(HotKeys.withCounters(counters), HotKeys.withCounters(counters), HotKeys.withCounters(counters));
        Random random = new Random(8);
        double[] zipf = zipf(20_000, 1.1);
        Map<String, Long> asked = new HashMap<>();
        int decisions = 50_000;
        for (int i = 0; i < decisions; i++) {
            // One instance has mostly different keys than the other ones.
            int part = random.nextInt(parts.size());
            String user = "user-" + draw(zipf, random) + (part == 0 ? "-of-0" : "");
            asked.merge(user, 1L, Long::sum);
            parts.get(part).onDecision(SIMPLE, user(user), 1, allowed(SIMPLE, NOON_MICROS + i * SLOWLY), 0);
        }
        KeyCounts merged = KeyCounts.merged(parts.stream()
                .map(part -> part.top("simple", NOON).orElseThrow().requested())
                .toList());
        assertWithinBounds(merged, asked, decisions, counters);
        assertWithinBounds(merged.first(10), asked, decisions, 1);
        assertThat(merged.first(10).keys()).hasSize(10);
    }

    @Test
    void counts_over_two_minutes_are_within_the_bound() {
        Random random = new Random(9);
        double[] zipf = zipf(5_000, 1.2);
        Map<String, Long> asked = new HashMap<>();
        HotKeys few = HotKeys.withCounters(50);
        for (int i = 0; i < 80_000; i++) {
            String user = "user-" + draw(zipf, random);
            asked.merge(user, 1L, Long::sum);
            few.onDecision(SIMPLE, user(user), 1, allowed(SIMPLE, NOON_MICROS + i * SLOWLY), 0);
        }
        TopKeys top = few.top("simple", NOON.plusSeconds(119)).orElseThrow();
        assertThat(top.from()).isEqualTo(NOON);
        assertWithinBounds(top.requested(), asked, 80_000, 50);
    }

    @Test
    void a_flood_of_ten_million_keys_is_bounded_in_memory_and_hides_no_hot_key() {
        HotKeys few = HotKeys.withCounters(100);
        int keys = 10_000_000;
        for (int i = 0; i < keys; i++) {
            long at = NOON_MICROS + i * 5L;
            String user = i % 20 == 0 ? "hot" : Integer.toString(i);
            few.onDecision(SIMPLE, user(user), 1, denied(SIMPLE, PER_USER, at), 0);
            if (i % 1_000_000 == 0) {
                assertThat(few.size()).isLessThanOrEqualTo(200);
            }
        }
        assertThat(few.size()).isEqualTo(200);
        TopKeys top = few.top("simple", NOON).orElseThrow();
        assertThat(top.oneIn()).isBetween(256, 4096);
        HotKey first = top.denied().keys().get(0);
        assertThat(first.ids()).containsExactly("hot");
        // Six standard deviations, plus the error of the sketch.
        double deviation = Math.sqrt((double) keys / 20 * top.oneIn());
        assertThat((double) first.count())
                .isBetween(keys / 20.0 - 6 * deviation, keys / 20.0 + 6 * deviation + keys / 100.0);
        assertThat((double) top.denied().total()).isCloseTo(keys, within(0.1 * keys));
    }

    @Test
    void every_decision_is_counted_again_soon_after_a_flood() {
        for (int i = 0; i < 1_000_000; i++) {
            hot.onDecision(SIMPLE, user("flood"), 1, allowed(SIMPLE, NOON_MICROS + i), 0);
        }
        for (int i = 0; i < 58; i++) {
            hot.onDecision(SIMPLE, user("seldom"), 1, allowed(SIMPLE, NOON_MICROS + (62 + i) * SECOND), 0);
        }
        assertThat(hot.minutes("simple").get(1).oneIn()).isOne();
        assertThat(hot.minutes("simple").get(1).requested().keys())
                .contains(new HotKey("per-user", List.of("seldom"), 58, 0));
    }

    @Test
    void the_current_minute_and_the_one_before_are_reported() {
        hot.onDecision(SIMPLE, user("old"), 1, allowed(SIMPLE, NOON_MICROS), 0);
        hot.onDecision(SIMPLE, user("young"), 1, allowed(SIMPLE, NOON_MICROS + 61 * SECOND), 0);
        assertThat(users(NOON.plusSeconds(119))).containsExactlyInAnyOrder("old", "young");
        assertThat(users(NOON.plusSeconds(120))).containsExactly("young");
        assertThat(hot.top("simple", NOON.plusSeconds(180))).isEmpty();
        assertThat(hot.top("simple", NOON.minusSeconds(1))).isEmpty();
        assertThat(hot.top("other", NOON)).isEmpty();
    }

    @Test
    void a_late_decision_counts_in_its_own_minute_and_a_clock_that_goes_back_restarts_the_counts() {
        hot.onDecision(SIMPLE, user("b"), 1, allowed(SIMPLE, NOON_MICROS), 0);
        hot.onDecision(SIMPLE, user("a"), 1, allowed(SIMPLE, NOON_MICROS - 1), 0);
        assertThat(hot.minutes("simple")).extracting(TopKeys::from).containsExactly(NOON.minusSeconds(60), NOON);
        hot.onDecision(SIMPLE, user("c"), 1, allowed(SIMPLE, NOON_MICROS - 600 * SECOND), 0);
        assertThat(hot.minutes("simple")).extracting(TopKeys::from).containsExactly(NOON.minusSeconds(600));
    }

    @Test
    void long_ids_are_kept_as_hashes() {
        hot.onDecision(SIMPLE, user("x".repeat(1000)), 1, allowed(SIMPLE, NOON_MICROS), 0);
        assertThat(top("simple", NOON).requested().keys().get(0).ids())
                .singleElement()
                .asString()
                .startsWith("~")
                .hasSize(33);
    }

    @Test
    void the_number_of_policies_is_bounded_and_unused_ones_are_replaced() {
        for (int i = 0; i < 2 * HotKeys.MAX_POLICIES; i++) {
            decide("policy-" + i, NOON_MICROS);
        }
        assertThat(hot.policies()).hasSize(HotKeys.MAX_POLICIES);
        decide("late", NOON_MICROS + 59 * SECOND);
        assertThat(hot.policies()).doesNotContain("late");
        decide("later", NOON_MICROS + 120 * SECOND);
        assertThat(hot.policies()).containsExactly("later");
    }

    @Test
    void concurrent_decisions_are_all_counted() throws InterruptedException {
        int threads = 4;
        int each = 50;
        CountDownLatch done = new CountDownLatch(threads);
        ExecutorService pool = Executors.newFixedThreadPool(threads);
        for (int t = 0; t < threads; t++) {
            pool.execute(() -> {
                for (int i = 0; i < each; i++) {
                    hot.onDecision(SIMPLE, user("user-" + i % 10), 1, allowed(SIMPLE, NOON_MICROS), 0);
                }
                done.countDown();
            });
        }
        assertThat(done.await(30, TimeUnit.SECONDS)).isTrue();
        pool.shutdownNow();
        assertThat(top("simple", NOON).requested().total()).isEqualTo(200);
        assertThat(top("simple", NOON).requested().keys()).hasSize(10).allMatch(key -> key.count() == 20);
    }

    @Test
    void hot_keys_can_listen_to_an_engine() {
        try (InMemoryLimitEngine limits =
                InMemoryLimitEngine.builder().listener(hot).build()) {
            Limiter limiter = limits.limiter(SIMPLE);
            Instant at = limiter.tryAcquire("alice").decidedAt();
            assertThat(top("simple", at).requested().keys()).hasSize(1);
        }
    }

    @Test
    void the_number_of_counters_is_bounded() {
        assertThatThrownBy(() -> HotKeys.withCounters(0)).hasMessage("counters must be from 1 to 4096, was 0");
        assertThatThrownBy(() -> HotKeys.withCounters(4097)).hasMessage("counters must be from 1 to 4096, was 4097");
    }

    /** Compares the reported counts with exact counts. */
    private static void assertWithinBounds(KeyCounts reported, Map<String, Long> exact, long total, int counters) {
        assertThat(reported.total()).isEqualTo(total);
        assertThat(reported.unlisted()).isLessThanOrEqualTo(total / counters);
        Map<String, Long> unlisted = new HashMap<>(exact);
        for (HotKey key : reported.keys()) {
            String user = key.ids().get(0);
            long count = unlisted.getOrDefault(user, 0L);
            unlisted.remove(user);
            assertThat(key.error()).isLessThanOrEqualTo(total / counters);
            assertThat(count).as("%s", key).isBetween(key.count() - key.error(), key.count());
        }
        assertThat(unlisted.values()).allMatch(count -> count <= reported.unlisted());
    }

    /** Returns the partial sums of 1, 1/2^s, 1/3^s and so on, for a Zipf distribution. */
    private static double[] zipf(int keys, double s) {
        double[] sums = new double[keys];
        double sum = 0;
        for (int i = 0; i < keys; i++) {
            sum += 1 / Math.pow(i + 1, s);
            sums[i] = sum;
        }
        return sums;
    }

    private static int draw(double[] sums, Random random) {
        int at = Arrays.binarySearch(sums, random.nextDouble() * sums[sums.length - 1]);
        return at < 0 ? -at - 1 : at;
    }

    private List<String> users(Instant now) {
        return top("simple", now).requested().keys().stream()
                .map(key -> key.ids().get(0))
                .toList();
    }

    private TopKeys top(String policy, Instant now) {
        return hot.top(policy, now).orElseThrow();
    }

    private void decide(String policy, long atMicros) {
        Policy named = Policy.named(policy).rule(PER_USER).build();
        hot.onDecision(named, Attributes.of("user", "alice"), 1, allowed(named, atMicros), 0);
    }

    private static Attributes user(String id) {
        return Attributes.of("user", id);
    }

    private static Decision allowed(Policy policy, long atMicros) {
        return EngineDecisions.of(
                policy,
                atMicros,
                1,
                policy.rules().stream()
                        .map(rule -> EngineRuleDecision.allowed(rule, 1, 1))
                        .toArray(EngineRuleDecision[]::new));
    }

    private static Decision denied(Policy policy, Rule by, long atMicros) {
        return EngineDecisions.of(
                policy,
                atMicros,
                1,
                policy.rules().stream()
                        .map(rule -> rule.equals(by)
                                ? EngineRuleDecision.denied(rule, 0, 7, 9)
                                : EngineRuleDecision.allowed(rule, 1, 1))
                        .toArray(EngineRuleDecision[]::new));
    }
}
