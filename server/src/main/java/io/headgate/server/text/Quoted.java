package io.headgate.server.text;

/** What a client gave, as a message shows it: in quotes, without control characters, and short. */
public final class Quoted {

    private static final int MAX_SHOWN = 80;

    private Quoted() {}

    public static String of(String given) {
        StringBuilder shown = new StringBuilder("\"");
        given.codePoints().limit(MAX_SHOWN).forEach(c -> {
            if (Character.isISOControl(c) || Character.getType(c) == Character.SURROGATE) {
                shown.append(String.format("\\u%04x", c));
            } else {
                shown.appendCodePoint(c);
            }
        });
        shown.append('"');
        int length = given.codePointCount(0, given.length());
        return length <= MAX_SHOWN ? shown.toString() : shown + " (" + length + " characters)";
    }
}
