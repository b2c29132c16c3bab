package io.headgate.queues.internal;

import java.util.stream.Collectors;

/** Shows what a caller gave inside an error message: in quotes, printable, and short. */
public final class Shown {

    private static final int MAX_SHOWN = 80;

    private Shown() {}

    /** Returns {@code given} in quotes; what does not print is escaped, and what is beyond 80 characters is counted. */
    public static String of(String given) {
        String begin = given.chars()
                .limit(MAX_SHOWN)
                .mapToObj(c -> isPlain((char) c) ? String.valueOf((char) c) : String.format("\\u%04x", c))
                .collect(Collectors.joining("", "\"", "\""));
        return given.length() > MAX_SHOWN ? begin + " (" + given.length() + " characters)" : begin;
    }

    private static boolean isPlain(char c) {
        return !Character.isISOControl(c) && !Character.isSurrogate(c);
    }
}
