package io.headgate.queues.internal;

import java.nio.charset.StandardCharsets;

/** Text as bytes, so that no two texts become the same bytes. */
public final class Utf8 {

    private static final int REPLACEMENT = 0xFFFD;

    private Utf8() {}

    /**
     * The text as UTF-8.
     *
     * @throws IllegalArgumentException when half of a surrogate pair has no other half
     */
    public static byte[] of(String text) {
        return of("text", text);
    }

    /**
     * The text as UTF-8.
     *
     * @param what what the text is, for the error
     * @throws IllegalArgumentException when half of a surrogate pair has no other half; the message does not repeat the text
     */
    public static byte[] of(String what, String text) {
        int index = unpaired(text);
        if (index >= 0) {
            throw new IllegalArgumentException(String.format(
                    "%s has half of a surrogate pair at index %d (\\u%04x), which UTF-8 cannot encode;"
                            + " add the other half or remove it",
                    what, index, (int) text.charAt(index)));
        }
        return text.getBytes(StandardCharsets.UTF_8);
    }

    /** The index of the first half of a surrogate pair that has no other half; -1 where there is none. */
    private static int unpaired(String text) {
        for (int i = 0; i < text.length(); i++) {
            char c = text.charAt(i);
            boolean unpaired = Character.isHighSurrogate(c)
                    ? i + 1 == text.length() || !Character.isLowSurrogate(text.charAt(i + 1))
                    : Character.isLowSurrogate(c) && (i == 0 || !Character.isHighSurrogate(text.charAt(i - 1)));
            if (unpaired) {
                return i;
            }
        }
        return -1;
    }

    /** How many bytes of UTF-8 the text takes. */
    static int length(String what, String text) {
        return of(what, text).length;
    }

    /** Returns the longest prefix of the text that fits into this number of bytes of UTF-8, with U+FFFD for an unpaired surrogate. */
    public static String fitting(String text, int maxBytes) {
        StringBuilder fitting = new StringBuilder(Math.min(text.length(), maxBytes));
        int bytes = 0;
        for (int i = 0; i < text.length(); ) {
            int c = text.codePointAt(i);
            i += Character.charCount(c);
            int whole = Character.getType(c) == Character.SURROGATE ? REPLACEMENT : c;
            bytes += whole < 0x80 ? 1 : whole < 0x800 ? 2 : whole < 0x10000 ? 3 : 4;
            if (bytes > maxBytes) {
                break;
            }
            fitting.appendCodePoint(whole);
        }
        return fitting.toString();
    }

    /** The text that the bytes stand for. */
    public static String text(byte[] bytes, int from, int length) {
        return new String(bytes, from, length, StandardCharsets.UTF_8);
    }
}
