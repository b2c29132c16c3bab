package io.headgate.server.text;

/** Quotes values of clients and users for messages, so that a message is one line and a value cannot look like the text around it. */
public final class Quoted {

    private static final int MAX_SHOWN = 80;

    private Quoted() {}

    /** Quotes at most the first 80 characters of a value. Quotes, backslashes and unprintable characters are escaped. */
    public static String of(String given) {
        String start = given.codePoints()
                .limit(MAX_SHOWN)
                .collect(StringBuilder::new, Quoted::appendEscaped, StringBuilder::append)
                .toString();
        int length = given.codePointCount(0, given.length());
        return "\"" + start + "\"" + (length > MAX_SHOWN ? " (" + length + " characters)" : "");
    }

    /** Escapes line ends and unprintable characters, so that a message of any length is one line. */
    public static String inOneLine(String message) {
        return message.codePoints()
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
