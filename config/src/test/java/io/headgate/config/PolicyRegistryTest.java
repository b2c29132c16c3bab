package io.headgate.config;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.headgate.limits.InFlightLimiter;
import io.headgate.limits.InFlightPolicy;
import io.headgate.limits.InMemoryLimitEngine;
import io.headgate.limits.Limit;
import io.headgate.limits.Limiter;
import io.headgate.limits.Policy;
import java.time.Duration;
import java.util.List;
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
    void a_raised_limit_continues_from_what_was_counted() {
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
        assertThat(registry.find("mail")).isEmpty();
        assertThat(registry.limiter("logins").tryAcquire("192.0.2.1").allowed()).isTrue();
        assertThat(registry.inFlight("exports").policy()).isEqualTo(exports(3, "user"));
        registry.replace(Policies.of(List.of()));
        assertThat(registry.findInFlight("exports")).isEmpty();
    }

    @Test
    void a_name_that_is_not_there_is_refused_with_those_that_are() {
        assertThatThrownBy(() -> registry.limiter("apo"))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("apo")
                .hasMessageContaining("[api, mail]");
        assertThatThrownBy(() -> registry.limiter("exports")).hasMessageContaining("in-flight");
        assertThatThrownBy(() -> registry.inFlight("api")).hasMessageContaining("[exports]");
    }

    /** Otherwise some of the policies would be those of one version and some those of another. */
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

    /** Otherwise the version would be in force for the limiters before that one only, and replacing it once more would do nothing. */
    @Test
    void a_version_is_checked_against_what_the_limiters_enforce() {
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
    void a_policy_may_change_to_one_of_in_flight_limits() {
        registry.replace(Policies.of(List.of(), List.of(InFlightPolicy.of("api", 1, "user"))));
        assertThat(registry.find("api")).isEmpty();
        assertThat(registry.inFlight("api").tryAcquire("alice").allowed()).isTrue();
    }
}
