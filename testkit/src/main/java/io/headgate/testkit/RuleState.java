package io.headgate.testkit;

import io.headgate.limits.Rule;
import io.headgate.limits.internal.decision.EngineRuleDecision;
import java.time.Duration;

/** The result of one rule in a decision that a test builds. Not safe for use by several threads. */
final class RuleState {

    private static final long SECOND_MICROS = 1_000_000;

    final Rule rule;
    boolean denies;
    boolean never;
    long remaining;
    long retryMicros = SECOND_MICROS;
    long delayMicros;
    long resetMicros = SECOND_MICROS;

    RuleState(Rule rule) {
        this.rule = rule;
        this.remaining = Math.max(0, rule.limit().permits() - 1);
    }

    void deny() {
        denies = true;
        remaining = 0;
    }

    void denyFor(Duration wait) {
        retryMicros = wait.toNanos() / 1000;
        resetMicros = Math.max(resetMicros, retryMicros);
    }

    EngineRuleDecision decision() {
        if (!denies) {
            return EngineRuleDecision.allowedAfter(rule, remaining, delayMicros, resetMicros);
        }
        return never
                ? EngineRuleDecision.neverAllowed(rule, remaining, resetMicros)
                : EngineRuleDecision.denied(rule, remaining, retryMicros, resetMicros);
    }
}
