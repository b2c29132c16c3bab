package io.headgate.limits.internal.algorithm;

import io.headgate.limits.Rule;
import io.headgate.limits.internal.decision.EngineRuleDecision;

/**
 * The result of an algorithm for one rule, in the numbers that Redis replies as well. It is changed in place, so that a decision allocates
 * little.
 */
public final class Outcome {

    /** A retry time: the rule would admit the request now. */
    static final long NOW = 0;

    /** A retry value: the rule can never admit that number of permits. */
    static final long NEVER = -1;

    public long remaining;

    /** {@link #NOW}, {@link #NEVER}, the time to wait, or less than {@link #NEVER}: see {@link #decision}. */
    long retryMicros;

    long delayMicros;
    public long resetMicros;

    public boolean allowed() {
        return retryMicros == NOW;
    }

    void allow(long left, long reset) {
        remaining = left;
        retryMicros = NOW;
        delayMicros = 0;
        resetMicros = reset;
    }

    void deny(long left, long retry, long reset) {
        remaining = left;
        retryMicros = retry;
        delayMicros = 0;
        resetMicros = reset;
    }

    /** Records that the rule allowed the request, and that the fields describe the state after the attempt. */
    public void allowedBeforeAttempt() {
        retryMicros = allowed() ? NOW : NEVER - retryMicros;
    }

    public EngineRuleDecision of(Rule rule) {
        return decision(rule, remaining, retryMicros, delayMicros, resetMicros);
    }

    /**
     * Creates the decision from its numbers.
     *
     * @param retryMicros 0 for now, -1 for never; -1 - n if the rule would have admitted the request and, as it counted the
     *     attempt, would admit it again in n
     */
    public static EngineRuleDecision decision(
            Rule rule, long remaining, long retryMicros, long delayMicros, long resetMicros) {
        if (retryMicros == NOW) {
            return EngineRuleDecision.allowedAfter(rule, remaining, delayMicros, resetMicros);
        }
        if (retryMicros < NEVER) {
            return EngineRuleDecision.allowedAndFull(rule, remaining, NEVER - retryMicros, resetMicros);
        }
        return retryMicros == NEVER
                ? EngineRuleDecision.neverAllowed(rule, remaining, resetMicros)
                : EngineRuleDecision.denied(rule, remaining, retryMicros, resetMicros);
    }
}
