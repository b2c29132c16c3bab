package io.headgate.queues.internal;

import java.nio.ByteBuffer;
import java.nio.CharBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;

/** Text as bytes, so that no two texts become the same bytes. */
public final class Utf8 {

    private Utf8() {}

    /**
     * The text as UTF-8.
     *
     * @throws IllegalArgumentException when half of a surrogate pair has no other half
     */
    public static byte[] of(String text) {
        try {
            ByteBuffer encoded = StandardCharsets.UTF_8.newEncoder().encode(CharBuffer.wrap(text));
            byte[] bytes = new byte[encoded.remaining()];
            encoded.get(bytes);
            return bytes;
        } catch (CharacterCodingException e) {
            throw new IllegalArgumentException("no UTF-8 stands for half a surrogate pair: " + Shown.of(text), e);
        }
    }

    /** How many bytes of UTF-8 the text takes. */
    static int length(String text) {
        return of(text).length;
    }

    /** The text that the bytes stand for. */
    public static String text(byte[] bytes, int from, int length) {
        return new String(bytes, from, length, StandardCharsets.UTF_8);
    }
}
