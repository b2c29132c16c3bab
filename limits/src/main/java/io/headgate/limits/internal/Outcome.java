package io.headgate.limits.internal;

import io.headgate.limits.Rule;
import io.headgate.limits.RuleDecision;

/**
 * What an algorithm answers for one rule, in numbers, as Redis answers too; written in place, so that a decision
 * allocates little.
 */
public final class Outcome {

    /** As a retry: the rule would admit the request now. */
    static final long NOW = 0;

    /** As a retry: the rule can never admit so many permits. */
    static final long NEVER = -1;

    long remaining;
    long retryMicros;
    long delayMicros;
    long resetMicros;

    boolean allowed() {
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

    RuleDecision of(Rule rule) {
        return decision(rule, remaining, retryMicros, delayMicros, resetMicros);
    }

    /**
     * The decision that the numbers stand for.
     *
     * @param retryMicros 0 for now, -1 for never
     */
    public static RuleDecision decision(
            Rule rule, long remaining, long retryMicros, long delayMicros, long resetMicros) {
        if (retryMicros == NOW) {
            return RuleDecision.allowedAfter(rule, remaining, delayMicros, resetMicros);
        }
        return retryMicros == NEVER
                ? RuleDecision.neverAllowed(rule, remaining, resetMicros)
                : RuleDecision.denied(rule, remaining, retryMicros, resetMicros);
    }
}
