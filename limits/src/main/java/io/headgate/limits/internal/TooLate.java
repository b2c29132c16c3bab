package io.headgate.limits.internal;

import io.headgate.limits.Decision;
import io.headgate.limits.Policy;
import io.headgate.limits.RuleDecision;
import java.time.Instant;
import java.time.temporal.ChronoUnit;

/** What is said to one whom a shaper admitted, and who can't wait for its turn. */
final class TooLate {

    private TooLate() {}

    /** That the rules whose delay is longer deny it, and to come back when the queue is so much shorter. */
    static Decision denial(Decision decision, long longestDelayNanos) {
        Policy.Builder policy = Policy.named(decision.policyName());
        decision.rules().forEach(rule -> policy.rule(rule.rule()));
        RuleDecision[] said = decision.rules().stream()
                .map(rule -> denied(rule, longestDelayNanos / 1000))
                .toArray(RuleDecision[]::new);
        long atMicros = ChronoUnit.MICROS.between(Instant.EPOCH, decision.decidedAt());
        return Decision.of(policy.build(), atMicros, 0, said);
    }

    private static RuleDecision denied(RuleDecision rule, long longestDelayMicros) {
        long tooLongMicros = Micros.of(rule.delay()) - longestDelayMicros;
        return tooLongMicros <= 0 || rule.rule().shadow()
                ? rule
                : RuleDecision.denied(rule.rule(), rule.remaining(), tooLongMicros, Micros.of(rule.resetAfter()));
    }
}
