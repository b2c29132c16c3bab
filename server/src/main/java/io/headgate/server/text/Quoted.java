package io.headgate.server.text;

/** Quotes a value that a client or user gave, for a message: at most its first 80 characters, with control characters escaped. */
public final class Quoted {

    private static final int MAX_SHOWN = 80;

    private Quoted() {}

    public static String of(String given) {
        String shown = '"' + escaped(given, MAX_SHOWN) + '"';
        int length = given.codePointCount(0, given.length());
        return length <= MAX_SHOWN ? shown : shown + " (" + length + " characters)";
    }

    /** Escapes line ends and unprintable characters, so that a message of any length is one line. */
    public static String inOneLine(String message) {
        return escaped(message, Integer.MAX_VALUE);
    }

    private static String escaped(String given, int most) {
        StringBuilder shown = new StringBuilder();
        given.codePoints().limit(most).forEach(c -> {
            switch (Character.getType(c)) {
                case Character.CONTROL, Character.SURROGATE, Character.LINE_SEPARATOR, Character.PARAGRAPH_SEPARATOR ->
                    shown.append(String.format("\\u%04x", c));
                default -> shown.appendCodePoint(c);
            }
        });
        return shown.toString();
    }
}
