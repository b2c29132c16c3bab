package io.headgate.server.http;

import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.util.Optional;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/** A secret that authorizes refunds or operator calls. Clients send it as {@code Authorization: Bearer}; it is never logged. */
public final class BearerToken {

    /** The valid form of a token. */
    public static final String EXPECTED = "16 to 256 visible ASCII characters";

    private static final Pattern FORM = Pattern.compile("[!-~]{16,256}");
    private static final String SCHEME = "Bearer ";

    private final byte[] secret;

    /**
     * Creates a token.
     *
     * @throws IllegalArgumentException if it is not {@link #EXPECTED}; the message does not repeat it
     */
    public BearerToken(String token) {
        if (!FORM.matcher(token).matches()) {
            throw new IllegalArgumentException("a token must be " + EXPECTED);
        }
        this.secret = token.getBytes(StandardCharsets.US_ASCII);
    }

    /** Returns whether the header field has this token. Takes the same time for all wrong tokens of one length. */
    public boolean isIn(@Nullable String authorization) {
        return authorization != null && of(authorization).filter(this::is).isPresent();
    }

    /** Returns whether this is the given token. Takes the same time for all wrong tokens of one length. */
    boolean is(String given) {
        return MessageDigest.isEqual(secret, given.getBytes(StandardCharsets.UTF_8));
    }

    /** The token in the header field, which may have any form; empty if the field has another scheme. */
    static Optional<String> of(String authorization) {
        return authorization.regionMatches(true, 0, SCHEME, 0, SCHEME.length())
                ? Optional.of(authorization.substring(SCHEME.length()).strip())
                : Optional.empty();
    }
}
