package io.headgate.limits.internal;

import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.Arrays;
import java.util.Base64;

/**
 * Bounds the length of stored ids: a long id is stored as {@code ~} and 32 characters of its SHA-256. An id that starts with this
 * character is stored in the same way, so that it can't equal the stored form of another id.
 *
 * <p>So different ids stay different, unless they have the same 192 bits of SHA-256.
 */
public final class BoundedId {

    /** The longest id that is stored unchanged. */
    public static final int MAX_LENGTH = 128;

    private static final int HASH_BYTES = 24;

    private BoundedId() {}

    /** Returns the id, or its hash if the id is long or starts with {@code ~} as a hash does. */
    public static String of(String id) {
        return id.length() > MAX_LENGTH || (!id.isEmpty() && id.charAt(0) == '~') ? hashed(id) : id;
    }

    /** Returns the id, or its hash if the id has an unpaired surrogate, which UTF-8 can't encode. */
    public static String encodable(String id) {
        return StandardCharsets.UTF_8.newEncoder().canEncode(id) ? id : hashed(id);
    }

    /** Returns the hash under which a long id is stored. */
    public static String hashed(String id) {
        return "~" + Base64.getUrlEncoder().withoutPadding().encodeToString(hash(id, HASH_BYTES));
    }

    /**
     * Returns the first bytes of the SHA-256 of a text. It hashes the UTF-16 code units, so that texts with unpaired surrogates differ
     * too.
     */
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
