package io.headgate.server.serve;

import static org.assertj.core.api.Assertions.assertThat;

import io.headgate.config.Policies;
import io.headgate.config.PolicyRegistry;
import io.headgate.limits.Attributes;
import io.headgate.limits.Decision;
import io.headgate.limits.InFlightPolicy;
import io.headgate.limits.Limit;
import io.headgate.limits.PermitRequest;
import io.headgate.limits.Policy;
import io.headgate.server.text.Json;
import io.headgate.testkit.Decisions;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;

class CountsTest {

    private static final Policy POLICY = Policy.named("p")
            .rule("first", Limit.slidingWindow(3, Duration.ofHours(1)))
            .rule("second", Limit.slidingWindow(1, Duration.ofHours(1)))
            .build();

    @Test
    void a_cached_denial_that_names_one_rule_counts_for_that_rule() {
        Counts counts = new Counts();
        Decision cached = Decisions.denied(POLICY, "second")
                .basis(Decision.Basis.CACHED_DENIAL)
                .build();
        counts.onDecision(POLICY, Attributes.none(), 1, cached, 0);
        assertThat(counts.denied("p")).isEqualTo(1);
        assertThat(counts.denied("p", "first")).isZero();
        assertThat(counts.denied("p", "second")).isEqualTo(1);
    }

    @Test
    void a_policy_or_rule_without_decisions_counts_zero() {
        Counts counts = new Counts();
        assertThat(counts.allowed("p")).isZero();
        assertThat(counts.denied("p")).isZero();
        assertThat(counts.byFallback("p")).isZero();
        assertThat(counts.failures("p")).isZero();
        assertThat(counts.denied("p", "first")).isZero();
        counts.onDecision(
                POLICY, Attributes.none(), 1, Decisions.allowed(POLICY).build(), 0);
        assertThat(counts.denied("p", "third")).isZero();
    }

    /** Counters that knew only the policies of the start once failed in the status and in each denial. */
    @Test
    void policies_and_rules_that_are_added_later_are_counted_and_shown() {
        Counts counts = new Counts();
        try (Engine engine = Engine.inMemory(counts)) {
            PolicyRegistry registry = new PolicyRegistry(engine.limits(), Policies.of(List.of(POLICY)));
            Status status = new Status(engine, new ServedPolicies(registry, Optional::empty, Optional.empty()), counts);
            Policy extended = Policy.named("p")
                    .rule("first", Limit.slidingWindow(3, Duration.ofHours(1)))
                    .rule("third", Limit.slidingWindow(1, Duration.ofHours(1)))
                    .build();
            Policy added = Policy.of("added", Limit.slidingWindow(1, Duration.ofHours(1)), Attributes.USER);
            registry.replace(
                    Policies.of(List.of(extended, added), List.of(InFlightPolicy.of("holds", 1, Attributes.USER))));
            assertThat(registry.limiter("p").tryAcquire(PermitRequest.global()).allowed())
                    .isTrue();
            assertThat(registry.limiter("p").tryAcquire(PermitRequest.global()).allowed())
                    .isFalse();
            assertThat(registry.limiter("added").tryAcquire("alice").allowed()).isTrue();
            assertThat(registry.limiter("added").tryAcquire("alice").allowed()).isFalse();
            assertThat(registry.inFlight("holds").tryAcquire("alice").allowed()).isTrue();
            assertThat(registry.inFlight("holds").tryAcquire("alice").allowed()).isFalse();

            assertThat(json(status))
                    .contains("\"policy\":\"p\",\"allowed\":1,\"denied\":1,")
                    .contains("\"rule\":\"third\",", "\"dimensions\":[],\"denied\":1}")
                    .contains("\"policy\":\"added\",\"allowed\":1,\"denied\":1,")
                    .contains("\"policy\":\"holds\",\"allowed\":1,\"denied\":1,");

            registry.replace(Policies.of(List.of(added)));
            assertThat(json(status))
                    .contains("\"policy\":\"added\",\"allowed\":1,\"denied\":1,")
                    .doesNotContain("\"policy\":\"p\"", "\"policy\":\"holds\"");
        }
    }

    private static String json(Status status) {
        return new String(Json.bytes(status.members()), StandardCharsets.UTF_8);
    }
}
