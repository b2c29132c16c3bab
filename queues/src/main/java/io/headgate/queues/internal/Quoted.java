package io.headgate.queues.internal;

import java.util.stream.Collectors;

/** Quotes values of callers for error messages: printable, and at most 80 characters of a value. */
public final class Quoted {

    private static final int MAX_SHOWN = 80;

    private Quoted() {}

    /** Quotes a value: control characters and surrogates are escaped, and a longer value is cut with its length appended. */
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
