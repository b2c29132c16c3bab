package io.headgate.queues.inspect;

import io.headgate.queues.internal.Quoted;
import java.util.regex.Pattern;

/**
 * The position at which a page starts. A cursor refers to a job instead of an offset, so no job is skipped or repeated when others are
 * added or removed. It does not expire. A cursor is valid only for further pages of the list that returned it.
 *
 * @param value up to 256 hexadecimal digits; empty for the start
 */
public record Cursor(String value) {

    private static final Pattern FORM = Pattern.compile("(?:[0-9a-f]{2}){0,128}");

    /** The start of the first page. */
    public static final Cursor START = new Cursor("");

    /** Checks the format. */
    public Cursor {
        if (!FORM.matcher(value).matches()) {
            throw new IllegalArgumentException(
                    "a cursor is up to 256 hexadecimal digits in lower case, was " + Quoted.of(value));
        }
    }

    @Override
    public String toString() {
        return value;
    }
}
