package io.headgate.limits.internal;

/** Shows what a caller gave inside an error message: in quotes, printable, and short. */
public final class Quote {

    private static final int MAX_SHOWN = 80;

    private Quote() {}

    /** Returns {@code given} in quotes; control characters are escaped, and what is beyond 80 characters is counted. */
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
