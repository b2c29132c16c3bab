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
 * @param ofAllowed whether the rule allowed this request, before it was counted as an attempt
 */
record Answer(long remaining, long retryMicros, long delayMicros, long resetMicros, boolean ofAllowed) {

    static final long NOW = 0;
    static final long NEVER = -1;

    Answer(long remaining, long retryMicros, long resetMicros) {
        this(remaining, retryMicros, 0, resetMicros);
    }

    Answer(long remaining, long retryMicros, long delayMicros, long resetMicros) {
        this(remaining, retryMicros, delayMicros, resetMicros, retryMicros == NOW);
    }

    /** This answer, of a rule that allowed the request before it counted the attempt. */
    Answer afterAllowing() {
        return new Answer(remaining, retryMicros, delayMicros, resetMicros, true);
    }

    boolean allowed() {
        return retryMicros == NOW;
    }

    /** This answer with all times {@code micros} later. */
    Answer later(long micros) {
        return new Answer(
                remaining,
                retryMicros > 0 ? retryMicros + micros : retryMicros,
                delayMicros > 0 ? delayMicros + micros : 0,
                resetMicros > 0 ? resetMicros + micros : resetMicros);
    }

    EngineRuleDecision of(Rule rule) {
        if (allowed()) {
            return EngineRuleDecision.allowedAfter(rule, remaining, delayMicros, resetMicros);
        }
        if (ofAllowed) {
            return EngineRuleDecision.allowedAndFull(rule, remaining, retryMicros, resetMicros);
        }
        return retryMicros == NEVER
                ? EngineRuleDecision.neverAllowed(rule, remaining, resetMicros)
                : EngineRuleDecision.denied(rule, remaining, retryMicros, resetMicros);
    }
}
