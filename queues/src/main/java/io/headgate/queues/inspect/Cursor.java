package io.headgate.queues.inspect;

import io.headgate.queues.internal.Quoted;
import java.util.regex.Pattern;

/**
 * Where a page goes on. It names a job and no position, so nothing is passed over or shown twice when jobs before it come and
 * go; and it stays good for as long as there is a queue. A page of one thing does not go on with the cursor of another.
 *
 * @param value up to 128 hexadecimal digits; nothing at the beginning
 */
public record Cursor(String value) {

    private static final Pattern FORM = Pattern.compile("(?:[0-9a-f]{2}){0,64}");

    /** Where the first page begins. */
    public static final Cursor START = new Cursor("");

    /** Refuses what no page gives. */
    public Cursor {
        if (!FORM.matcher(value).matches()) {
            throw new IllegalArgumentException(
                    "a cursor is up to 128 hexadecimal digits in lower case, was " + Quoted.of(value));
        }
    }

    @Override
    public String toString() {
        return value;
    }
}
