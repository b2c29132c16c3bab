package io.headgate.limits.internal.algorithm;

import io.headgate.limits.Rule;
import io.headgate.limits.internal.decision.EngineRuleDecision;

/**
 * The result of an algorithm for one rule, in the same numbers as the reply of Redis. It is mutable, so that a decision allocates
 * little.
 */
public final class Outcome {

    /** The value of {@link #retryMicros} if the rule admits the request now. */
    static final long NOW = 0;

    /** The value of {@link #retryMicros} if the rule never admits that number of permits. */
    static final long NEVER = -1;

    private static final long NOT_BANNED = -1;

    public long remaining;

    /** The time to wait; or {@link #NOW}, {@link #NEVER}, or a value below {@link #NEVER}, which {@link #decision} describes. */
    long retryMicros;

    long delayMicros;
    public long resetMicros;

    /** How long the id has been banned; {@link #NOT_BANNED} if it is not. */
    private long bannedMicros = NOT_BANNED;

    /** Records that the rule has banned the id, until a time. */
    public void ban(long sinceMicros, long untilMicros, long nowMicros) {
        deny(0, untilMicros - nowMicros, untilMicros - nowMicros);
        bannedMicros = Math.max(0, nowMicros - sinceMicros);
    }

    /** Whether the rule has banned the id. */
    public boolean banned() {
        return bannedMicros != NOT_BANNED;
    }

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

    /**
     * Records that the rule allowed the request, which something else denied, and then charged it as an attempt. The other fields are those
     * of a peek after that charge.
     */
    public void allowedBeforeAttempt() {
        retryMicros = allowed() ? NOW : NEVER - retryMicros;
    }

    public EngineRuleDecision of(Rule rule) {
        return banned()
                ? EngineRuleDecision.banned(rule, bannedMicros, retryMicros)
                : decision(rule, remaining, retryMicros, delayMicros, resetMicros);
    }

    /**
     * Creates the decision of a rule from the numbers of an outcome.
     *
     * @param retryMicros the time to wait; 0 if the rule allows the request, and -1 if it never does. -1 - n if the rule allowed the
     *     request but counted the attempt, and would now allow the same request after n microseconds
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
