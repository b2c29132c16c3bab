package io.headgate.limits.internal.overrides;

import static org.assertj.core.api.Assertions.assertThat;

import io.headgate.limits.Attributes;
import io.headgate.limits.Limit;
import io.headgate.limits.Policy;
import io.headgate.limits.Rule;
import io.headgate.limits.Rule.LimitOverride;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

class PolicyVariantsTest {

    private static final Policy BASE = Policy.named("api")
            .rule("global", window(1000))
            .rule("per-user", window(10), "user")
            .build();
    private static final Policy API = BASE.withOverrides(List.of(
            new LimitOverride("global", Map.of("plan", "gold"), window(2000)),
            new LimitOverride("per-user", Map.of("plan", "gold"), window(20)),
            new LimitOverride("per-user", Map.of("plan", "platinum"), window(20)),
            new LimitOverride("per-user", Map.of("user", "alice"), window(10))));

    private final List<Policy> createdVariants = new ArrayList<>();

    private static Limit window(long permits) {
        return Limit.slidingWindow(permits, Duration.ofMinutes(1));
    }

    private PolicyVariants<Policy> variants(Policy policy) {
        return new PolicyVariants<>(policy, variant -> {
            createdVariants.add(variant);
            return variant;
        });
    }

    private static Attributes user(String user, String plan) {
        return Attributes.of("user", user).with("plan", plan);
    }

    private static List<Long> limits(Policy policy) {
        return policy.rules().stream().map(rule -> rule.limit().permits()).toList();
    }

    @Test
    void a_policy_without_overrides_is_its_only_variant() {
        PolicyVariants<Policy> variants = variants(BASE);
        assertThat(variants.isPlain()).isTrue();
        assertThat(variants.base()).isSameAs(BASE);
        assertThat(variants.of(user("bob", "gold"))).isSameAs(BASE);
        assertThat(createdVariants).containsExactly(BASE);
    }

    @Test
    void requests_with_equal_limits_share_a_variant_that_is_created_once() {
        PolicyVariants<Policy> variants = variants(API);
        assertThat(variants.base()).isEqualTo(BASE);
        assertThat(variants.of(user("bob", "silver"))).isSameAs(variants.base());
        // Alice's override has the limit of the rule, and takes precedence over that of her plan.
        assertThat(variants.of(user("alice", "platinum"))).isSameAs(variants.base());
        Policy platinum = variants.of(user("bob", "platinum"));
        assertThat(limits(platinum)).containsExactly(1000L, 20L);
        assertThat(variants.of(user("carol", "platinum"))).isSameAs(platinum);
        Policy gold = variants.of(user("bob", "gold"));
        assertThat(limits(gold)).containsExactly(2000L, 20L);
        assertThat(variants.of(user("carol", "gold"))).isSameAs(gold);
        assertThat(limits(variants.of(user("alice", "gold")))).containsExactly(2000L, 10L);
        assertThat(createdVariants).hasSize(4).allMatch(variant -> variant.overrides()
                .isEmpty());
    }

    @Test
    void the_number_of_variants_is_bounded_and_used_ones_are_kept() {
        int limits = 10 * PolicyVariants.MAX_VARIANTS;
        AtomicInteger created = new AtomicInteger();
        PolicyVariants<Object> variants = new PolicyVariants<>(
                BASE.withOverrides(IntStream.range(0, limits)
                        .mapToObj(i -> new LimitOverride("per-user", Map.of("user", "user-" + i), window(100 + i)))
                        .toList()),
                variant -> created.incrementAndGet());
        Object used = variants.of(Attributes.of("user", "user-0"));
        for (int i = 1; i < limits; i++) {
            variants.of(Attributes.of("user", "user-" + i));
            assertThat(variants.of(Attributes.of("user", "user-0"))).isSameAs(used);
            assertThat(variants.size()).isLessThanOrEqualTo(PolicyVariants.MAX_VARIANTS);
        }
        int before = created.get();
        assertThat(before).isEqualTo(limits + 1);
        variants.of(Attributes.of("user", "user-1"));
        assertThat(created.get()).as("one that was dropped is created again").isEqualTo(before + 1);
    }

    @Test
    void a_variant_belongs_to_every_version_that_has_its_limits() {
        Policy gold = variants(API).of(user("bob", "gold"));
        assertThat(PolicyVariants.isVariant(gold, API)).isTrue();
        assertThat(PolicyVariants.isVariant(BASE, API)).isTrue();
        assertThat(PolicyVariants.isVariant(gold, BASE)).isFalse();
        Policy other = Policy.named("other")
                .rule("global", window(1000))
                .rule("per-user", window(10), "user")
                .build();
        assertThat(PolicyVariants.isVariant(other, API)).isFalse();
        Policy counting = Policy.named("api")
                .rule("global", window(1000))
                .rule(Rule.of("per-user", window(20), "user").countingAttempts())
                .build();
        assertThat(PolicyVariants.isVariant(counting, API)).isFalse();
    }

    @Test
    void a_rule_changes_with_its_limit_and_with_its_overrides() {
        Rule global = BASE.rule("global");
        Rule perUser = BASE.rule("per-user");
        assertThat(PolicyVariants.changedRules(API, API)).isEmpty();
        assertThat(PolicyVariants.changedRules(API, BASE)).containsExactly(global, perUser);
        assertThat(PolicyVariants.changedRules(
                        API, API.withOverrides(API.overrides().subList(0, 3))))
                .containsExactly(perUser);
        Policy raised = Policy.named("api")
                .rule("global", window(1001))
                .rule(perUser)
                .build()
                .withOverrides(API.overrides());
        assertThat(PolicyVariants.changedRules(API, raised)).containsExactly(global);
    }
}
