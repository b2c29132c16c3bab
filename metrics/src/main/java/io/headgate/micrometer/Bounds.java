package io.headgate.micrometer;

/** Checks of arguments. */
final class Bounds {

    private static final int MAX_NAMES = 100_000;

    private Bounds() {}

    /** Returns a number of names with meters of their own, if it is allowed. */
    static int names(String argument, int max) {
        if (max < 1 || max > MAX_NAMES) {
            throw new IllegalArgumentException(argument + " must be between 1 and " + MAX_NAMES + ", but was " + max);
        }
        return max;
    }
}
