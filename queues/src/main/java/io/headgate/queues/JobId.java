package io.headgate.queues;

import io.headgate.queues.internal.Shown;
import java.util.regex.Pattern;

/**
 * What a queue calls a job by, for as long as there is a queue: no two jobs of a queue have the same.
 *
 * @param value 30 hexadecimal digits
 */
public record JobId(String value) {

    private static final Pattern FORM = Pattern.compile("[0-9a-f]{30}");

    /** Refuses what no queue gives. */
    public JobId {
        if (!FORM.matcher(value).matches()) {
            throw new IllegalArgumentException(
                    "the id of a job is 30 hexadecimal digits in lower case, was " + Shown.of(value));
        }
    }

    @Override
    public String toString() {
        return value;
    }
}
