package io.headgate.testkit.model;

import io.headgate.limits.Rule;
import io.headgate.limits.internal.decision.EngineRuleDecision;

/**
 * The decision of one rule on a request.
 *
 * @param remaining the permits that the rule still admits
 * @param retryMicros the time until the rule would admit the request, or {@link #NOW} or {@link #NEVER}
 * @param delayMicros how long an admitted request must wait
 * @param resetMicros the time until all permits are available, or 0
 * @param allowedBeforeAttempt whether the rule allowed the request; {@link #allowed()} is false if the request, counted as an
 *     attempt, left too few permits for the same request
 */
record RuleResult(long remaining, long retryMicros, long delayMicros, long resetMicros, boolean allowedBeforeAttempt) {

    static final long NOW = 0;
    static final long NEVER = -1;

    RuleResult(long remaining, long retryMicros, long resetMicros) {
        this(remaining, retryMicros, 0, resetMicros);
    }

    RuleResult(long remaining, long retryMicros, long delayMicros, long resetMicros) {
        this(remaining, retryMicros, delayMicros, resetMicros, retryMicros == NOW);
    }

    /** This result, marked as allowed before the attempt. */
    RuleResult afterAllowing() {
        return new RuleResult(remaining, retryMicros, delayMicros, resetMicros, true);
    }

    boolean allowed() {
        return retryMicros == NOW;
    }

    /** This result with all times {@code micros} later. */
    RuleResult later(long micros) {
        return new RuleResult(
                remaining,
                retryMicros > 0 ? retryMicros + micros : retryMicros,
                delayMicros > 0 ? delayMicros + micros : 0,
                resetMicros > 0 ? resetMicros + micros : resetMicros);
    }

    EngineRuleDecision toDecision(Rule rule) {
        if (allowed()) {
            return EngineRuleDecision.allowedAfter(rule, remaining, delayMicros, resetMicros);
        }
        if (allowedBeforeAttempt) {
            return EngineRuleDecision.allowedAndFull(rule, remaining, retryMicros, resetMicros);
        }
        return retryMicros == NEVER
                ? EngineRuleDecision.neverAllowed(rule, remaining, resetMicros)
                : EngineRuleDecision.denied(rule, remaining, retryMicros, resetMicros);
    }
}
