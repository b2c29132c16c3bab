package io.headgate.testkit.model;

import io.headgate.limits.Rule;
import io.headgate.limits.internal.decision.EngineRuleDecision;

/**
 * What one rule says to a request.
 *
 * @param remaining permits that it would still admit
 * @param retryMicros until the request would be admitted, or {@link #NOW} or {@link #NEVER}
 * @param delayMicros until an admitted request is to go on
 * @param resetMicros until the limit is whole again, 0 when it is
 * @param ofAllowed whether the rule let this request pass, whatever it would say now that this was counted as an attempt
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

    /** The same, of a rule that let the request pass before it counted the attempt. */
    Answer afterAllowing() {
        return new Answer(remaining, retryMicros, delayMicros, resetMicros, true);
    }

    boolean allowed() {
        return retryMicros == NOW;
    }

    /** The same when all that is still to come lies {@code micros} further away. */
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
