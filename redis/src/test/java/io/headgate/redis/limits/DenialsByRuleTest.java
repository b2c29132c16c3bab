package io.headgate.redis.limits;

import static org.assertj.core.api.Assertions.assertThat;

import io.headgate.limits.Limit;
import io.headgate.limits.Rule;
import io.headgate.limits.RuleDecision;
import io.headgate.testkit.Await;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;

/** What is known of a rule is kept as long as somebody has the rule, and shared by those. */
class DenialsByRuleTest {

    private final DenialsByRule denials = new DenialsByRule(10, () -> {});

    @Test
    void rules_that_nobody_has_any_more_are_not_kept() {
        KnownDenials used = denials.of("used");
        Rule rule = Rule.of("r", Limit.slidingWindow(5, Duration.ofMinutes(1)), "user");
        used.add(RuleDecision.denied(rule, 0, 30_000_000, 30_000_000), List.of("a"), 1, 0, System.nanoTime(), 0);
        for (int i = 0; i < 10_000; i++) {
            denials.of("name" + i);
        }
        Await.until("those to go that nobody uses", Duration.ofSeconds(20), () -> {
            System.gc();
            return denials.size() == 1;
        });
        assertThat(denials.of("used")).isSameAs(used);
        assertThat(denials.find("used").map(KnownDenials::size)).hasValue(1);
        assertThat(denials.find("name1")).isEmpty();
        denials.forgetAll(System.nanoTime());
        assertThat(used.isEmpty()).isTrue();
    }
}
