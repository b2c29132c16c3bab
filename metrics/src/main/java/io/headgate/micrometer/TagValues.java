package io.headgate.micrometer;

import java.util.Locale;

/** Values of tags. */
final class TagValues {

    /** Stands for all names beyond the maximum. */
    static final String OTHER = "other";

    private static final int MAX_NAMES = 100_000;

    private TagValues() {}

    /** Returns a constant in lower case. */
    static String of(Enum<?> constant) {
        return constant.name().toLowerCase(Locale.ROOT);
    }

    /** Checks a maximum number of names. */
    static int requireMax(String argument, int max) {
        if (max < 1 || max > MAX_NAMES) {
            throw new IllegalArgumentException(argument + " must be between 1 and " + MAX_NAMES + ", but was " + max);
        }
        return max;
    }
}
