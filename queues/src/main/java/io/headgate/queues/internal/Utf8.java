package io.headgate.queues.internal;

import java.nio.charset.StandardCharsets;

/** Converts text to UTF-8 without loss: text that UTF-8 can't encode is rejected, so different texts have different bytes. */
public final class Utf8 {

    private static final int REPLACEMENT = 0xFFFD;

    private Utf8() {}

    /**
     * Returns the text as UTF-8.
     *
     * @throws IllegalArgumentException if the text has an unpaired surrogate
     */
    public static byte[] of(String text) {
        return of("text", text);
    }

    /**
     * Returns the text as UTF-8.
     *
     * @param what the name of the text, for the error
     * @throws IllegalArgumentException if the text has an unpaired surrogate; the message does not contain the text
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

    /** Returns the index of the first unpaired surrogate; -1 if there is none. */
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

    /** Returns the number of bytes of the text in UTF-8. */
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

    /** Decodes a part of the bytes from UTF-8. */
    public static String text(byte[] bytes, int from, int length) {
        return new String(bytes, from, length, StandardCharsets.UTF_8);
    }
}
