package io.headgate.queues;

import io.headgate.queues.internal.JobBounds;
import io.headgate.queues.internal.Quoted;
import java.util.Optional;

/**
 * The id of a job. A job keeps its id in all states, and no other job of the queue has the same.
 *
 * @param value 30 hexadecimal digits in lower case; if the job has a {@linkplain NewJob#tenant tenant}, then a dash and the tenant
 */
public record JobId(String value) {

    private static final int DIGITS = 30;
    private static final char DASH = '-';

    /** Checks the format. */
    public JobId {
        boolean hasTenant = value.length() > DIGITS && value.charAt(DIGITS) == DASH;
        if ((!hasTenant && value.length() != DIGITS) || !startsWithDigits(value)) {
            throw new IllegalArgumentException(
                    "the id of a job is 30 hexadecimal digits in lower case, followed by a dash and its tenant if it has"
                            + " one, was " + Quoted.of(value));
        }
        if (hasTenant) {
            JobBounds.name("tenant", value.substring(DIGITS + 1));
        }
    }

    private static boolean startsWithDigits(String value) {
        for (int i = 0; i < DIGITS; i++) {
            char c = value.charAt(i);
            if ((c < '0' || c > '9') && (c < 'a' || c > 'f')) {
                return false;
            }
        }
        return true;
    }

    /** Returns the tenant of the job, if it has one. */
    public Optional<String> tenant() {
        return value.length() == DIGITS ? Optional.empty() : Optional.of(value.substring(DIGITS + 1));
    }

    @Override
    public String toString() {
        return value;
    }
}
