package io.headgate.redis.internal.script;

import java.util.regex.Pattern;

/** The prefix of all keys of one engine. */
public final class KeyPrefix {

    /** The default prefix. */
    public static final String DEFAULT = "hg";

    private static final Pattern FORM = Pattern.compile("[A-Za-z0-9][A-Za-z0-9._-]{0,63}");

    private KeyPrefix() {}

    /**
     * Returns the prefix if it is valid.
     *
     * @throws IllegalArgumentException unless it is 1 to 64 of {@code A-Z a-z 0-9 . _ -}, the first a letter or digit
     */
    public static String checked(String prefix) {
        if (!FORM.matcher(prefix).matches()) {
            throw new IllegalArgumentException(
                    "key prefix must be 1 to 64 of A-Z a-z 0-9 . _ - and begin with a letter or digit, was \"" + prefix
                            + "\"");
        }
        return prefix;
    }
}
