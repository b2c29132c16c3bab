package io.headgate.queues;

import io.headgate.queues.internal.Quoted;

/**
 * The id of a job. A job keeps its id in all states, and no other job of the queue has the same.
 *
 * @param value 30 hexadecimal digits in lower case
 */
public record JobId(String value) {

    private static final int DIGITS = 30;

    /** Checks the format. */
    public JobId {
        if (value.length() != DIGITS || !hasOnlyDigits(value)) {
            throw new IllegalArgumentException(
                    "the id of a job is 30 hexadecimal digits in lower case, was " + Quoted.of(value));
        }
    }

    private static boolean hasOnlyDigits(String value) {
        for (int i = 0; i < value.length(); i++) {
            char c = value.charAt(i);
            if ((c < '0' || c > '9') && (c < 'a' || c > 'f')) {
                return false;
            }
        }
        return true;
    }

    @Override
    public String toString() {
        return value;
    }
}
