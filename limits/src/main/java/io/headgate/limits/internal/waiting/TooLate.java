package io.headgate.limits.internal.waiting;

import io.headgate.limits.Decision;
import io.headgate.limits.Policy;
import io.headgate.limits.internal.Micros;
import io.headgate.limits.internal.decision.EngineDecisions;
import io.headgate.limits.internal.decision.EngineRuleDecision;
import java.time.Instant;
import java.time.temporal.ChronoUnit;

/** Creates the denial of a request that a shaper admitted, but whose delay ends after the deadline of the request. */
final class TooLate {

    private TooLate() {}

    /** Returns a decision that is denied by each rule with a longer delay; the retry-after is the time by which its delay is too long. */
    static Decision denial(Decision decision, long longestDelayNanos) {
        Policy.Builder policy = Policy.named(decision.policyName());
        decision.rules().forEach(rule -> policy.rule(rule.rule()));
        EngineRuleDecision[] rules = decision.rules().stream()
                .map(rule -> denied((EngineRuleDecision) rule, longestDelayNanos / 1000))
                .toArray(EngineRuleDecision[]::new);
        long atMicros = ChronoUnit.MICROS.between(Instant.EPOCH, decision.decidedAt());
        return EngineDecisions.of(policy.build(), atMicros, 0, rules);
    }

    private static EngineRuleDecision denied(EngineRuleDecision rule, long longestDelayMicros) {
        long tooLongMicros = Micros.of(rule.delay()) - longestDelayMicros;
        return tooLongMicros <= 0 || rule.rule().shadow()
                ? rule
                : EngineRuleDecision.denied(rule.rule(), rule.remaining(), tooLongMicros, Micros.of(rule.resetAfter()));
    }
}
