package io.headgate.limits.internal;

import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.Arrays;
import java.util.Base64;

/**
 * Bounds how long an id is where it is kept: a long one is kept as {@code ~} and 32 characters of its SHA-256.
 *
 * <p>So two ids are never the same to an engine, unless two share 192 bits of SHA-256.
 */
public final class BoundedId {

    /** The longest id that is kept as it is. */
    public static final int MAX_LENGTH = 128;

    private static final int HASH_BYTES = 24;

    private BoundedId() {}

    /** The id itself, or its hash when it is long, or could be taken for a hash. */
    public static String of(String id) {
        return id.length() > MAX_LENGTH || (!id.isEmpty() && id.charAt(0) == '~') ? hashed(id) : id;
    }

    /** The id itself, or its hash when it has half of a surrogate pair, which UTF-8 can't encode. */
    public static String encodable(String id) {
        return StandardCharsets.UTF_8.newEncoder().canEncode(id) ? id : hashed(id);
    }

    /** As it is kept when it is long. */
    public static String hashed(String id) {
        return "~" + Base64.getUrlEncoder().withoutPadding().encodeToString(hash(id, HASH_BYTES));
    }

    /** The first bytes of a text's SHA-256: of its UTF-16 code units, which keep even half a character apart. */
    public static byte[] hash(String text, int bytes) {
        try {
            ByteBuffer units = ByteBuffer.allocate(text.length() * 2);
            units.asCharBuffer().put(text);
            return Arrays.copyOf(MessageDigest.getInstance("SHA-256").digest(units.array()), bytes);
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException("every Java has SHA-256", e);
        }
    }
}
