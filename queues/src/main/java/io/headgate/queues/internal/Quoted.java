package io.headgate.queues.internal;

/** Quotes values of callers for error messages: printable, and at most 80 characters of a value. */
public final class Quoted {

    private static final int MAX_SHOWN = 80;

    private Quoted() {}

    /**
     * Quotes a value. Quotes, backslashes, and characters that are invisible or change a line are escaped. A longer value is cut, with its
     * length appended.
     */
    public static String of(String given) {
        String start = given.codePoints()
                .limit(MAX_SHOWN)
                .collect(StringBuilder::new, Quoted::append, StringBuilder::append)
                .toString();
        int length = given.codePointCount(0, given.length());
        return "\"" + start + "\"" + (length > MAX_SHOWN ? " (" + length + " characters)" : "");
    }

    private static void append(StringBuilder to, int codePoint) {
        if (codePoint == '"' || codePoint == '\\') {
            to.append('\\');
        }
        switch (Character.getType(codePoint)) {
            case Character.CONTROL,
                    Character.FORMAT,
                    Character.LINE_SEPARATOR,
                    Character.PARAGRAPH_SEPARATOR,
                    Character.PRIVATE_USE,
                    Character.SURROGATE,
                    Character.UNASSIGNED -> to.append(String.format("\\u%04x", codePoint));
            default -> to.appendCodePoint(codePoint);
        }
    }
}
