package io.headgate.redis.limits.internal.planner;

import io.headgate.limits.internal.BoundedId;
import java.nio.charset.StandardCharsets;

/**
 * Encodes an id as part of a key: in printable ASCII, with a bounded length, and differently for different ids.
 *
 * <p>Letters, digits and most punctuation remain as they are; other characters are percent-encoded as UTF-8. An id whose encoding would be
 * longer than 128 characters is replaced by its {@linkplain BoundedId hash}, which begins with {@code ~}. Braces, commas, blanks, {@code %}
 * and {@code ~} are encoded, so an id can neither choose a hash slot nor look like two ids or like a hash.
 */
public final class KeyText {

    public static final int MAX_LENGTH = BoundedId.MAX_LENGTH;

    private static final char[] HEX = "0123456789ABCDEF".toCharArray();

    private KeyText() {}

    public static String of(String id) {
        if (id.length() > MAX_LENGTH) {
            return BoundedId.hashed(id);
        }
        for (int i = 0; i < id.length(); i++) {
            if (!isPlain(id.charAt(i))) {
                String encoded = encoded(id);
                return encoded.length() > MAX_LENGTH ? BoundedId.hashed(id) : encoded;
            }
        }
        return id;
    }

    private static boolean isPlain(char c) {
        return c > ' ' && c < 0x7f && c != '%' && c != '{' && c != '}' && c != ',' && c != '~';
    }

    private static String encoded(String id) {
        StringBuilder text = new StringBuilder(id.length() * 3);
        for (int i = 0; i < id.length(); i++) {
            char c = id.charAt(i);
            if (isPlain(c)) {
                text.append(c);
            } else if (isPairAt(id, i)) {
                percent(text, id.substring(i, i + 2));
                i++;
            } else if (Character.isSurrogate(c)) {
                // Half of a surrogate pair has no UTF-8; it is encoded by its number.
                text.append("%u").append(Integer.toHexString(c));
            } else {
                percent(text, String.valueOf(c));
            }
        }
        return text.toString();
    }

    private static boolean isPairAt(String id, int i) {
        return i + 1 < id.length() && Character.isSurrogatePair(id.charAt(i), id.charAt(i + 1));
    }

    private static void percent(StringBuilder text, String character) {
        for (byte b : character.getBytes(StandardCharsets.UTF_8)) {
            text.append('%').append(HEX[(b >> 4) & 15]).append(HEX[b & 15]);
        }
    }
}
