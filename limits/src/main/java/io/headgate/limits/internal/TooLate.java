package io.headgate.limits.internal;

import io.headgate.limits.Decision;
import io.headgate.limits.Policy;
import io.headgate.limits.Rule;
import io.headgate.limits.RuleDecision;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.List;

/** What is said to one whom a shaper admitted, and who can't wait for its turn. */
final class TooLate {

    private TooLate() {}

    /** That it is denied, and to come back when the queue is so much shorter. */
    static Decision denial(Policy policy, Decision decision, long tooLongNanos) {
        List<Rule> rules = decision.rules().stream().map(RuleDecision::rule).toList();
        RuleDecision[] said = decision.rules().stream()
                .map(rule -> rule.delay().isZero()
                        ? rule
                        : RuleDecision.denied(
                                rule.rule(),
                                rule.remaining(),
                                Math.max(1, tooLongNanos / 1000),
                                Micros.of(rule.resetAfter())))
                .toArray(RuleDecision[]::new);
        long atMicros = ChronoUnit.MICROS.between(Instant.EPOCH, decision.decidedAt());
        return Decision.of(new Policy(policy.name(), rules, policy.colocation()), atMicros, 0, said);
    }
}
