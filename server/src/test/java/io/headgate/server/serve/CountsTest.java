package io.headgate.server.serve;

import static org.assertj.core.api.Assertions.assertThat;

import io.headgate.config.Policies;
import io.headgate.limits.Attributes;
import io.headgate.limits.Decision;
import io.headgate.limits.Limit;
import io.headgate.limits.Policy;
import io.headgate.testkit.Decisions;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;

class CountsTest {

    private static final Policy POLICY = Policy.named("p")
            .rule("first", Limit.fixedWindow(3, Duration.ofMinutes(1)))
            .rule("second", Limit.fixedWindow(1, Duration.ofMinutes(1)))
            .build();

    @Test
    void a_denial_that_only_one_rule_is_known_to_say_counts_for_that_rule() {
        Counts counts = new Counts(Policies.of(List.of(POLICY)));
        Decision known = Decisions.denied(POLICY, "second")
                .basis(Decision.Basis.CACHED_DENIAL)
                .build();
        counts.onDecision(POLICY, Attributes.none(), 1, known, 0);
        assertThat(counts.denied("p")).isEqualTo(1);
        assertThat(counts.denied("p", "first")).isZero();
        assertThat(counts.denied("p", "second")).isEqualTo(1);
    }
}
