package io.headgate.limits.hotkeys;

import static org.assertj.core.api.Assertions.assertThat;

import io.headgate.limits.Attributes;
import io.headgate.limits.Decision;
import io.headgate.limits.Limit;
import io.headgate.limits.Policy;
import io.headgate.limits.internal.decision.EngineDecisions;
import io.headgate.limits.internal.decision.EngineRuleDecision;
import java.time.Duration;
import org.junit.jupiter.api.Test;

/** The counters of a policy are dropped for another policy only when they are no longer reported. */
class PolicyKeysTest {

    private static final Policy POLICY = Policy.named("api")
            .rule("per-user", Limit.fixedWindow(5, Duration.ofMinutes(1)), "user")
            .build();
    private static final long MINUTE = 60_000_000;

    private final PolicyKeys keys = new PolicyKeys(POLICY.name(), 10);

    private boolean count(long atMicros) {
        Decision decision = EngineDecisions.of(
                POLICY, atMicros, 1, EngineRuleDecision.allowed(POLICY.rules().get(0), 4, MINUTE));
        return keys.count(POLICY, Attributes.of("user", "alice"), decision, atMicros, 1);
    }

    @Test
    void counters_in_use_are_not_dropped() {
        assertThat(count(0)).isTrue();
        assertThat(keys.dropIfOver(1)).isFalse();
        assertThat(count(MINUTE)).isTrue();
        assertThat(keys.minutes()).hasSize(2);
    }

    @Test
    void dropped_counters_count_nothing_more() {
        assertThat(count(0)).isTrue();
        assertThat(keys.dropIfOver(2)).isTrue();
        assertThat(count(2 * MINUTE)).isFalse();
        assertThat(keys.minutes()).hasSize(1);
    }
}
