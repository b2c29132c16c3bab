package io.headgate.limits.internal;

import io.headgate.limits.Decision;

/** What an algorithm answers for one rule; written in place, so that a decision allocates little. */
final class Outcome {

    long remaining;
    long retryMicros;
    long resetMicros;

    boolean allowed() {
        return retryMicros == Decision.NOW;
    }

    void allow(long left, long reset) {
        remaining = left;
        retryMicros = Decision.NOW;
        resetMicros = reset;
    }

    void deny(long left, long retry, long reset) {
        remaining = left;
        retryMicros = retry;
        resetMicros = reset;
    }

    void writeTo(long[] outcomes, int rule) {
        int at = rule * Decision.OUTCOME_FIELDS;
        outcomes[at] = remaining;
        outcomes[at + 1] = retryMicros;
        outcomes[at + 2] = resetMicros;
    }
}
