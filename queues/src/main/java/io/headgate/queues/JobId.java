package io.headgate.queues;

import io.headgate.queues.internal.Shown;

/**
 * What a queue calls a job by, for as long as there is a queue: no two jobs of a queue have the same.
 *
 * @param value 30 hexadecimal digits
 */
public record JobId(String value) {

    private static final int DIGITS = 30;

    /** Refuses what no queue gives. */
    public JobId {
        if (!isForm(value)) {
            throw new IllegalArgumentException(
                    "the id of a job is 30 hexadecimal digits in lower case, was " + Shown.of(value));
        }
    }

    private static boolean isForm(String value) {
        for (int i = 0; i < value.length(); i++) {
            char digit = value.charAt(i);
            if ((digit < '0' || digit > '9') && (digit < 'a' || digit > 'f')) {
                return false;
            }
        }
        return value.length() == DIGITS;
    }

    @Override
    public String toString() {
        return value;
    }
}
