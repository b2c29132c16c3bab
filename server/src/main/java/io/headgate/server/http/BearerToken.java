package io.headgate.server.http;

import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/** A secret of those who may do what not everybody may: sent as {@code Authorization: Bearer}, and shown nowhere. */
public final class BearerToken {

    /** What a token must be. */
    public static final String EXPECTED = "16 to 256 visible ASCII characters";

    private static final Pattern FORM = Pattern.compile("[!-~]{16,256}");
    private static final String SCHEME = "Bearer ";

    private final byte[] secret;

    /**
     * Takes a token.
     *
     * @throws IllegalArgumentException when it is not {@link #EXPECTED}; the message does not repeat it
     */
    public BearerToken(String token) {
        if (!FORM.matcher(token).matches()) {
            throw new IllegalArgumentException("a token must be " + EXPECTED);
        }
        this.secret = token.getBytes(StandardCharsets.US_ASCII);
    }

    /** Whether this field has it; takes as long for a wrong one as for another. */
    public boolean isIn(@Nullable String authorization) {
        return authorization != null
                && authorization.regionMatches(true, 0, SCHEME, 0, SCHEME.length())
                && MessageDigest.isEqual(
                        secret, authorization.substring(SCHEME.length()).strip().getBytes(StandardCharsets.UTF_8));
    }
}
