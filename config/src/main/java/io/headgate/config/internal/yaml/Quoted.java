package io.headgate.config.internal.yaml;

import java.util.regex.Pattern;

/** Quotes values from YAML for errors: unchanged if that is clear, otherwise in quotes, printable and short. */
public final class Quoted {

    private static final int MAX_SHOWN = 80;
    private static final Pattern CLEAR_VALUE = Pattern.compile("[A-Za-z0-9._+:/%-]{1,80}");
    private static final Pattern CLEAR_NAME = Pattern.compile("[A-Za-z0-9_-]{1,64}");

    private Quoted() {}

    /** Returns a value for an error, as in {@code was 0s} or {@code was "end point"}. */
    public static String value(String given) {
        return CLEAR_VALUE.matcher(given).matches() ? given : quoted(given);
    }

    /** Returns a key for a path of keys that are joined by dots. */
    public static String name(String key) {
        return CLEAR_NAME.matcher(key).matches() ? key : quoted(key);
    }

    /** Whether a key is shown without quotes. */
    static boolean isClearName(String key) {
        return CLEAR_NAME.matcher(key).matches();
    }

    private static String quoted(String given) {
        String start = given.codePoints()
                .limit(MAX_SHOWN)
                .collect(StringBuilder::new, Quoted::appendEscaped, StringBuilder::append)
                .toString();
        int length = given.codePointCount(0, given.length());
        return "\"" + start + "\"" + (length > MAX_SHOWN ? " (" + length + " characters)" : "");
    }

    /** Returns a message of the YAML library on one line, cut to 320 characters. */
    public static String message(String text) {
        return text.codePoints()
                .limit(4L * MAX_SHOWN)
                .collect(StringBuilder::new, Quoted::appendPrintable, StringBuilder::append)
                .toString();
    }

    private static void appendEscaped(StringBuilder to, int codePoint) {
        if (codePoint == '"' || codePoint == '\\') {
            to.append('\\');
        }
        appendPrintable(to, codePoint);
    }

    private static void appendPrintable(StringBuilder to, int codePoint) {
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
