package io.headgate.limits.internal;

/** Quotes values of callers for error messages: printable, and at most 80 characters of a value. */
public final class Quoted {

    private static final int MAX_SHOWN = 80;

    private Quoted() {}

    /** Quotes a value: control characters and surrogates are escaped, and a longer value is cut with its length appended. */
    public static String of(String given) {
        StringBuilder shown = new StringBuilder("\"");
        int length = Math.min(given.length(), MAX_SHOWN);
        for (int i = 0; i < length; i++) {
            char c = given.charAt(i);
            if (c < 0x20 || c == 0x7f || Character.isSurrogate(c)) {
                shown.append(String.format("\\u%04x", (int) c));
            } else {
                shown.append(c);
            }
        }
        shown.append('"');
        if (given.length() > MAX_SHOWN) {
            shown.append(" (").append(given.length()).append(" characters)");
        }
        return shown.toString();
    }
}
