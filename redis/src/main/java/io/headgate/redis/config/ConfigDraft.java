package io.headgate.redis.config;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.Collections;
import java.util.HexFormat;
import java.util.LinkedHashMap;
import java.util.Map;

/**
 * A version of a configuration that is not written yet.
 *
 * @param texts 1 to 1000 texts by name; names have 1 to 255 characters without control characters, and all texts together at most 16 MiB
 * @param by who writes it: 1 to 128 characters without control characters
 * @param reason why it is written: 1 to 1000 characters without control characters
 */
public record ConfigDraft(Map<String, String> texts, String by, String reason) {

    private static final int MAX_TEXTS = 1000;
    private static final int MAX_NAME = 255;
    private static final int MAX_BY = 128;
    private static final int MAX_REASON = 1000;
    private static final long MAX_BYTES = 16L << 20;
    private static final int DIGITS = 12;

    /**
     * Checks the values.
     *
     * @throws IllegalArgumentException if one of them is not allowed
     */
    public ConfigDraft {
        texts = Collections.unmodifiableMap(new LinkedHashMap<>(texts));
        if (texts.isEmpty() || texts.size() > MAX_TEXTS) {
            throw new IllegalArgumentException("texts must have 1 to " + MAX_TEXTS + " entries, has " + texts.size());
        }
        texts.keySet().forEach(name -> requireLine("name of a text", name, MAX_NAME));
        requireLine("by", by, MAX_BY);
        requireLine("reason", reason, MAX_REASON);
        long bytes = bytes(texts);
        if (bytes > MAX_BYTES) {
            throw new IllegalArgumentException(
                    "texts must have at most " + MAX_BYTES + " bytes in UTF-8 together, have " + bytes);
        }
    }

    private static void requireLine(String what, String text, int max) {
        if (text.isBlank() || text.length() > max || text.chars().anyMatch(Character::isISOControl)) {
            throw new IllegalArgumentException(what + " must have 1 to " + max + " characters, be more than blanks, "
                    + "and have no control characters such as line breaks; has " + text.length());
        }
    }

    private static long bytes(Map<String, String> texts) {
        return texts.values().stream()
                .mapToLong(text -> text.getBytes(UTF_8).length)
                .sum();
    }

    /** The size of all texts in UTF-8. */
    long bytes() {
        return bytes(texts);
    }

    /** Returns the first digits of the SHA-256 of the texts, which end the id of the version. The version of a file has the same ones. */
    String digest() {
        try {
            MessageDigest hash = MessageDigest.getInstance("SHA-256");
            texts.values().forEach(text -> {
                hash.update(text.getBytes(UTF_8));
                hash.update((byte) 0);
            });
            return HexFormat.of().formatHex(hash.digest()).substring(0, DIGITS);
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException("each JDK has SHA-256", e);
        }
    }
}
