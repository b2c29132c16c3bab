package io.headgate.queues;

import io.headgate.queues.internal.Quoted;

/**
 * What a queue calls a job by, for as long as there is a queue: no two jobs of a queue have the same.
 *
 * @param value 30 hexadecimal digits
 */
public record JobId(String value) {

    private static final int DIGITS = 30;

    /** Refuses what no queue gives. */
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
