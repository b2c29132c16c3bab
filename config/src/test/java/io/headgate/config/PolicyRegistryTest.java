package io.headgate.config;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.headgate.limits.Attributes;
import io.headgate.limits.Decision;
import io.headgate.limits.Hold;
import io.headgate.limits.InFlightLimiter;
import io.headgate.limits.InFlightPolicy;
import io.headgate.limits.InMemoryLimitEngine;
import io.headgate.limits.Limit;
import io.headgate.limits.Limiter;
import io.headgate.limits.Policy;
import java.time.Duration;
import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

class PolicyRegistryTest {

    private final InMemoryLimitEngine engine = InMemoryLimitEngine.create();
    private final PolicyRegistry registry = new PolicyRegistry(
            engine, Policies.of(List.of(api(2), policy("mail", 1, "user")), List.of(exports(1, "user"))));

    @AfterEach
    void close() {
        engine.close();
    }

    private static Policy api(long permits) {
        return policy("api", permits, "user");
    }

    private static Policy policy(String name, long permits, String dimension) {
        return Policy.of(name, Limit.slidingWindow(permits, Duration.ofHours(1)), dimension);
    }

    private static InFlightPolicy exports(long permits, String dimension) {
        return InFlightPolicy.of("exports", permits, dimension);
    }

    @Test
    void a_raised_limit_continues_from_the_count() {
        Limiter api = registry.limiter("api");
        assertThat(api.tryAcquire("alice").remaining()).isEqualTo(1);
        registry.replace(Policies.of(List.of(api(10))));
        assertThat(api.tryAcquire("alice").remaining()).isEqualTo(8);
        assertThat(registry.limiter("api")).isSameAs(api);
    }

    @Test
    void policies_are_added_and_removed() {
        registry.replace(Policies.of(List.of(api(2), policy("logins", 5, "ip")), List.of(exports(3, "user"))));
        assertThat(registry.policies().names()).containsExactly("api", "logins");
        assertThat(registry.findLimiter("mail")).isEmpty();
        assertThat(registry.limiter("logins").tryAcquire("192.0.2.1").allowed()).isTrue();
        assertThat(registry.inFlight("exports").policy()).isEqualTo(exports(3, "user"));
        registry.replace(Policies.of(List.of()));
        assertThat(registry.findInFlightLimiter("exports")).isEmpty();
    }

    @Test
    void an_unknown_policy_is_an_error_that_lists_the_names() {
        assertThatThrownBy(() -> registry.limiter("apo"))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("apo")
                .hasMessageContaining("[api, mail]");
        assertThatThrownBy(() -> registry.limiter("exports")).hasMessageContaining("in-flight");
        assertThatThrownBy(() -> registry.inFlight("api")).hasMessageContaining("[exports]");
    }

    /** Otherwise, some policies would be in the old version and some in the new one. */
    @Test
    void a_version_that_cannot_continue_changes_nothing_and_the_error_lists_every_reason() {
        InFlightLimiter exports = registry.inFlight("exports");
        assertThatThrownBy(() -> registry.replace(
                        Policies.of(List.of(api(100), policy("mail", 1, "ip")), List.of(exports(1, "endpoint")))))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContainingAll("policy mail", "[user]", "[ip]", "policy exports", "[endpoint]");
        assertThat(registry.policies().get("api")).isEqualTo(api(2));
        assertThat(registry.limiter("api").policy()).isEqualTo(api(2));
        assertThat(exports.policy()).isEqualTo(exports(1, "user"));
    }

    @Test
    void a_limiter_that_was_updated_directly_returns_to_the_policies_of_the_registry() {
        registry.limiter("api").update(api(50));
        registry.replace(registry.policies());
        assertThat(registry.limiter("api").policy()).isEqualTo(api(2));
    }

    /** Otherwise, only the limiters before the rejected one would be updated, and a second call would change nothing. */
    @Test
    void a_version_is_checked_against_the_current_policies_of_the_limiters() {
        Limit limit = Limit.slidingWindow(1, Duration.ofHours(1));
        Policy.Builder two = Policy.named("mail").rule(Policy.ONLY_RULE, limit, "user");
        registry.limiter("mail").update(two.rule("more", limit, "ip").build());
        Policy other = Policy.named("mail")
                .rule(Policy.ONLY_RULE, limit, "user")
                .rule("more", limit, "endpoint")
                .build();
        assertThatThrownBy(() -> registry.replace(Policies.of(List.of(api(100), other))))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContainingAll("policy mail", "[ip]", "[endpoint]");
        assertThat(registry.limiter("api").policy()).isEqualTo(api(2));
        assertThat(registry.policies().get("api")).isEqualTo(api(2));
    }

    @Test
    void a_policy_may_become_an_in_flight_policy() {
        registry.replace(Policies.of(List.of(), List.of(InFlightPolicy.of("api", 1, "user"))));
        assertThat(registry.findLimiter("api")).isEmpty();
        assertThat(registry.inFlight("api").tryAcquire("alice").allowed()).isTrue();
    }

    /** The keys of a removed policy may still be stored, and would then count something else. */
    @Test
    void a_removed_policy_is_only_added_again_with_the_same_dimensions() {
        registry.replace(Policies.of(List.of(api(2))));
        assertThatThrownBy(() -> registry.replace(
                        Policies.of(List.of(api(5), policy("mail", 1, "ip")), List.of(exports(1, "endpoint")))))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("the dimensions of rule limit of policy mail can't change from [user] to [ip]")
                .hasMessageContaining(
                        "the dimensions of rule limit of policy exports can't change from [user] to [endpoint]");
        assertThat(registry.limiter("api").policy()).isEqualTo(api(2));
        assertThat(registry.findLimiter("mail")).isEmpty();
    }

    @Test
    void a_removed_policy_that_is_added_again_continues_with_its_limiter() {
        Limiter mail = registry.limiter("mail");
        assertThat(mail.tryAcquire("alice").allowed()).isTrue();
        registry.replace(Policies.of(List.of(api(2))));
        registry.replace(Policies.of(List.of(api(2), policy("mail", 3, "user"))));
        assertThat(registry.limiter("mail")).isSameAs(mail);
        assertThat(mail.tryAcquire("alice").remaining()).isEqualTo(1);
    }

    @Test
    void a_policy_that_is_added_again_after_an_in_flight_policy_is_compared_with_its_last_version() {
        registry.replace(Policies.of(List.of(), List.of(InFlightPolicy.of("api", 1, "endpoint"))));
        assertThatThrownBy(() -> registry.replace(Policies.of(List.of(policy("api", 1, "ip")))))
                .hasMessageContaining("policy api can't change from [user] to [ip]");
        registry.replace(Policies.of(List.of(api(3))));
        assertThat(registry.limiter("api").policy()).isEqualTo(api(3));
    }

    @Test
    void decisions_of_a_removed_policy_are_refunded_and_its_holds_released() {
        Decision decision = registry.limiter("mail").tryAcquire("alice");
        Hold hold = registry.inFlight("exports")
                .async()
                .tickets()
                .tryAcquire("alice", Duration.ofSeconds(30))
                .toCompletableFuture()
                .join();
        registry.replace(Policies.of(List.of()));
        assertThat(registry.findLimiter("mail")).isEmpty();
        assertThat(registry.findInFlightLimiter("exports")).isEmpty();
        Attributes alice = Attributes.of("user", "alice");
        assertThat(registry.findLimiterForRefund("mail").orElseThrow().refund(alice, decision))
                .isEqualTo(1);
        InFlightLimiter exports = registry.findLimiterForRelease("exports").orElseThrow();
        assertThat(exports.async()
                        .tickets()
                        .release(hold.ticket().orElseThrow(), alice)
                        .toCompletableFuture()
                        .join())
                .isTrue();
        assertThat(registry.findLimiterForRefund("exports")).isEmpty();
        assertThat(registry.findLimiterForRelease("mail")).isEmpty();
    }

    @Test
    void the_number_of_removed_policies_is_bounded_and_the_first_ones_are_dropped() {
        List<Policy> many = IntStream.range(0, PolicyRegistry.MAX_REMOVED)
                .mapToObj(i -> policy("p" + i, 1, "user"))
                .toList();
        registry.replace(Policies.of(many));
        assertThat(registry.findLimiterForRefund("mail")).isPresent();
        registry.replace(Policies.of(List.of()));
        assertThat(registry.findLimiterForRefund("api")).isEmpty();
        assertThat(registry.findLimiterForRefund("mail")).isEmpty();
        assertThat(registry.findLimiterForRefund("p0")).isPresent();
        registry.replace(Policies.of(List.of(policy("mail", 1, "ip"))));
        assertThat(registry.limiter("mail").policy()).isEqualTo(policy("mail", 1, "ip"));
    }
}
