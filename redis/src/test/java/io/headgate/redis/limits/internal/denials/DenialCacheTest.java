package io.headgate.redis.limits.internal.denials;

import static org.assertj.core.api.Assertions.assertThat;

import io.headgate.limits.Limit;
import io.headgate.limits.Rule;
import io.headgate.limits.internal.decision.EngineRuleDecision;
import io.headgate.testkit.Await;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;

/** The denials of a rule are cached as long as a limiter refers to the rule, and all such limiters share them. */
class DenialCacheTest {

    private final DenialCache denials = new DenialCache(10, () -> {});

    @Test
    void the_denials_of_a_rule_without_limiters_are_dropped() {
        RuleDenials used = denials.ofRule("used");
        Rule rule = Rule.of("r", Limit.slidingWindow(5, Duration.ofMinutes(1)), "user");
        // A denial of one permit at time 0, for 30 s.
        used.put(EngineRuleDecision.denied(rule, 0, 30_000_000, 30_000_000), List.of("a"), 1, 0, System.nanoTime(), 0);
        for (int i = 0; i < 10_000; i++) {
            denials.ofRule("name" + i);
        }
        Await.until("unused rules to be dropped", Duration.ofSeconds(20), () -> {
            System.gc();
            return denials.rules() == 1;
        });
        assertThat(denials.ofRule("used")).isSameAs(used);
        assertThat(denials.find("used").map(RuleDenials::size)).hasValue(1);
        assertThat(denials.find("name1")).isEmpty();
        denials.clear(System.nanoTime());
        assertThat(used.isEmpty()).isTrue();
    }
}
