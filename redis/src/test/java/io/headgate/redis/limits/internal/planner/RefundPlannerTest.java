package io.headgate.redis.limits.internal.planner;

import static org.assertj.core.api.Assertions.assertThat;

import io.headgate.limits.Attributes;
import io.headgate.limits.Decision;
import io.headgate.limits.Limit;
import io.headgate.limits.Policy;
import io.headgate.limits.Rule;
import io.headgate.limits.internal.Bounds;
import io.headgate.limits.internal.algorithm.Charge;
import io.headgate.limits.internal.decision.EngineDecisions;
import io.headgate.limits.internal.decision.EngineRuleDecision;
import io.headgate.redis.internal.script.Script;
import java.time.Duration;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Set;
import org.junit.jupiter.api.Test;

class RefundPlannerTest {

    private static final Duration MINUTE = Duration.ofMinutes(1);

    /**
     * Redis keeps every script that it receives. Clients influence which rules in shadow mode charge a request: with a script for each
     * selection, they could fill the memory of Redis.
     */
    @Test
    void one_script_refunds_different_selections_of_charged_rules() {
        Policy.Builder builder = Policy.named("p");
        for (int i = 0; i < Bounds.MAX_RULES; i++) {
            Limit limit = i % 2 == 0 ? Limit.slidingWindow(10, MINUTE) : Limit.fixedWindow(10, MINUTE);
            builder.rule(Rule.of("rule-" + i, limit).inShadow());
        }
        Policy policy = builder.build();
        PolicyPlanner planner = new PolicyPlanner(
                policy, new Keys("hg"), new Scripts(false), Optional.empty(), Duration.ofMinutes(1), true);
        Set<Script> scripts = new HashSet<>();
        // Every selection of the first six rules.
        for (int selection = 1; selection < 1 << 6; selection++) {
            Decision decision = decisionThatCharged(selection, policy);
            for (OptionalLong chargeId : List.of(OptionalLong.empty(), OptionalLong.of(decision.chargeId()))) {
                scripts.add(planner.refund(Attributes.none(), Charge.of(policy, decision), chargeId)
                        .script());
            }
        }
        assertThat(scripts).hasSize(1);
    }

    /** A decision that charged the rules whose bits are set. */
    private static Decision decisionThatCharged(int bits, Policy policy) {
        EngineRuleDecision[] decisions = new EngineRuleDecision[policy.rules().size()];
        for (int i = 0; i < decisions.length; i++) {
            Rule rule = policy.rules().get(i);
            decisions[i] = (bits >> i & 1) == 1
                    ? EngineRuleDecision.allowed(rule, 9, 60_000_000)
                    : EngineRuleDecision.denied(rule, 0, 1, 60_000_000);
        }
        return EngineDecisions.of(policy, 1_800_000_000_000_000L, 1, decisions);
    }
}
