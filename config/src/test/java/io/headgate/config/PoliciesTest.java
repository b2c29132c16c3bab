package io.headgate.config;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.headgate.limits.InFlightPolicy;
import io.headgate.limits.Limit;
import io.headgate.limits.Policy;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;

class PoliciesTest {

    private static final Policy LOGIN = Policy.of("login", Limit.slidingWindow(5, Duration.ofMinutes(1)), "user");
    private static final Policy API = Policy.of("api", Limit.slidingWindow(100, Duration.ofSeconds(1)));

    private static final InFlightPolicy EXPORTS = InFlightPolicy.of("exports", 2, "user");

    private final Policies policies = Policies.of(List.of(LOGIN, API));

    @Test
    void a_policy_is_found_by_its_name() {
        assertThat(policies.get("api")).isEqualTo(API);
        assertThat(policies.find("login")).contains(LOGIN);
        assertThat(policies.find("logout")).isEmpty();
    }

    @Test
    void an_unknown_name_is_an_error_that_lists_the_names() {
        assertThatThrownBy(() -> policies.get("logout"))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessage("no policy is named logout; there are [login, api]");
    }

    @Test
    void policies_of_in_flight_limits_are_separate_and_the_error_names_the_other_kind() {
        Policies both = Policies.of(List.of(LOGIN), List.of(EXPORTS));
        assertThat(both.inFlight("exports")).isEqualTo(EXPORTS);
        assertThat(both.inFlight()).containsExactly(EXPORTS);
        assertThat(both).containsExactly(LOGIN).isNotEqualTo(Policies.of(List.of(LOGIN)));
        assertThatThrownBy(() -> both.get("exports"))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessage("policy exports has in-flight limits; there are [login]");
        assertThatThrownBy(() -> both.inFlight("login"))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessage("policy login has no in-flight limits; there are [exports]");
        assertThatThrownBy(() -> both.inFlight("imports"))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessage("no policy is named imports; there are [exports]");
        assertThatThrownBy(() -> policies.inFlight("login"))
                .hasMessage("policy login has no in-flight limits; add a policy with in-flight limits");
        assertThatThrownBy(() -> Policies.of(List.of()).get("login"))
                .hasMessage("no policy is named login; add a policy with rate limits");
        assertThatThrownBy(() -> Policies.of(List.of(LOGIN), List.of(InFlightPolicy.of("login", 1))))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessage("two policies are named login");
    }

    @Test
    void names_and_policies_keep_the_order_given() {
        assertThat(policies.names()).containsExactly("login", "api");
        assertThat(policies.list()).containsExactly(LOGIN, API);
        assertThat(policies).containsExactly(LOGIN, API);
    }

    @Test
    void two_policies_with_the_same_name_are_rejected() {
        assertThatThrownBy(() -> Policies.of(List.of(API, API)))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessage("two policies are named api");
    }

    @Test
    void policies_are_immutable() {
        assertThatThrownBy(() -> policies.names().clear()).isInstanceOf(UnsupportedOperationException.class);
        assertThatThrownBy(() -> policies.iterator().remove()).isInstanceOf(UnsupportedOperationException.class);
        assertThatThrownBy(() -> policies.list().clear()).isInstanceOf(UnsupportedOperationException.class);
    }

    @Test
    void sets_with_equal_policies_in_the_same_order_are_equal() {
        assertThat(policies).isEqualTo(Policies.of(List.of(LOGIN, API)));
        assertThat(policies).hasSameHashCodeAs(Policies.of(List.of(LOGIN, API)));
        assertThat(policies).isNotEqualTo(Policies.of(List.of(API, LOGIN)));
    }
}
