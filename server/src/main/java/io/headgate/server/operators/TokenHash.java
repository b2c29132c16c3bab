package io.headgate.server.operators;

import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.Locale;
import java.util.regex.Pattern;

/**
 * The SHA-256 of a token. A hash without a salt and of little cost is enough only because the token is random and long: no attacker can try
 * all tokens of 256 bits.
 */
final class TokenHash {

    private static final Pattern HEX = Pattern.compile("[0-9a-fA-F]{64}");

    private final byte[] hash;

    private TokenHash(byte[] hash) {
        this.hash = hash;
    }

    static TokenHash of(String token) {
        return new TokenHash(sha256(token.getBytes(StandardCharsets.UTF_8)));
    }

    static byte[] sha256(byte[] content) {
        try {
            return MessageDigest.getInstance("SHA-256").digest(content);
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException("every Java has SHA-256", e);
        }
    }

    static boolean isHex(String text) {
        return HEX.matcher(text).matches();
    }

    /** Reads 64 hexadecimal digits, in upper or lower case. */
    static TokenHash ofHex(String text) {
        return new TokenHash(HexFormat.of().parseHex(text.toLowerCase(Locale.ROOT)));
    }

    /** The hash as 64 hexadecimal digits in lower case. */
    String hex() {
        return HexFormat.of().formatHex(hash);
    }

    /** Compares in constant time. */
    @Override
    public boolean equals(Object other) {
        return other instanceof TokenHash it && MessageDigest.isEqual(hash, it.hash);
    }

    @Override
    public int hashCode() {
        return Arrays.hashCode(hash);
    }
}
