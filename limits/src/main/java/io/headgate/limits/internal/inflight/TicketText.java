package io.headgate.limits.internal.inflight;

import io.headgate.limits.Attributes;
import io.headgate.limits.InFlightPolicy;
import io.headgate.limits.InFlightRule;
import io.headgate.limits.internal.BoundedId;
import io.headgate.limits.internal.Bounds;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.ArrayList;
import java.util.Base64;
import java.util.List;

/**
 * The content of a ticket. Its text is URL-safe Base64 of a version (1 byte), the id of the hold (16), its permits (1), its latest end
 * in microseconds since 1970, or {@link HoldStore#NEVER} (8), and a fingerprint (8) for each rule. A fingerprint has four bytes of the
 * SHA-256 of the names of policy, rule and dimensions, and four bytes of the SHA-256 of these names and the ids that the rule counts by.
 * So a ticket with other attributes is rejected before the store is called. The content is not secret.
 *
 * @param id the id of the hold
 * @param permits 1 to 100
 * @param endsMicros the latest end of the hold, in microseconds since 1970, which no renewal extends
 * @param fingerprints the fingerprints of its rules
 */
public record TicketText(HoldId id, long permits, long endsMicros, List<Long> fingerprints) {

    private static final byte VERSION = 1;
    private static final int HEAD_BYTES = 1 + 16 + 1 + 8;
    private static final int FINGERPRINT_BYTES = 8;
    private static final int MAX_CHARACTERS = (HEAD_BYTES + Bounds.MAX_RULES * FINGERPRINT_BYTES + 2) / 3 * 4;

    /** Creates the content for a hold under all rules of a policy. */
    static TicketText of(HoldId id, long permits, long endsMicros, InFlightPolicy policy, Attributes attributes) {
        return new TicketText(
                id,
                permits,
                endsMicros,
                policy.rules().stream()
                        .map(rule -> fingerprint(policy, rule, attributes))
                        .toList());
    }

    String text() {
        ByteBuffer bytes = ByteBuffer.allocate(HEAD_BYTES + fingerprints.size() * FINGERPRINT_BYTES)
                .put(VERSION)
                .putLong(id.engine())
                .putLong(id.number())
                .put((byte) permits)
                .putLong(endsMicros);
        fingerprints.forEach(bytes::putLong);
        return Base64.getUrlEncoder().withoutPadding().encodeToString(bytes.array());
    }

    /**
     * Reads the text of a ticket. It is not signed, so every number is checked.
     *
     * @throws IllegalArgumentException if the text is not that of a ticket
     */
    public static TicketText read(String text) {
        ByteBuffer bytes = ByteBuffer.wrap(decoded(text));
        int fingerprintBytes = bytes.capacity() - HEAD_BYTES;
        require(fingerprintBytes > 0
                && fingerprintBytes % FINGERPRINT_BYTES == 0
                && fingerprintBytes / FINGERPRINT_BYTES <= Bounds.MAX_RULES
                && bytes.get() == VERSION);
        HoldId id = new HoldId(bytes.getLong(), bytes.getLong());
        long permits = bytes.get();
        long endsMicros = bytes.getLong();
        require(permits >= 1 && permits <= Bounds.MAX_HOLD_PERMITS && endsMicros > 0 && endsMicros <= HoldStore.NEVER);
        List<Long> fingerprints = new ArrayList<>();
        while (bytes.hasRemaining()) {
            fingerprints.add(bytes.getLong());
        }
        return new TicketText(id, permits, endsMicros, List.copyOf(fingerprints));
    }

    private static byte[] decoded(String text) {
        require(text.length() <= MAX_CHARACTERS);
        try {
            return Base64.getUrlDecoder().decode(text);
        } catch (IllegalArgumentException e) {
            throw new IllegalArgumentException(wrong(), e);
        }
    }

    private static void require(boolean right) {
        if (!right) {
            throw new IllegalArgumentException(wrong());
        }
    }

    private static String wrong() {
        return "ticket must be the ticket of a hold, unchanged";
    }

    /**
     * Returns the rules of a policy under which the hold was granted.
     *
     * @throws IllegalArgumentException if there are no such rules, or the hold was granted with other attributes
     */
    List<InFlightRule> rulesOf(InFlightPolicy policy, Attributes attributes) {
        List<InFlightRule> rules = new ArrayList<>();
        for (InFlightRule rule : policy.rules()) {
            long names = hash(names(policy, rule));
            if (fingerprints.stream().noneMatch(fingerprint -> fingerprint >> Integer.SIZE == names)) {
                continue;
            }
            if (!fingerprints.contains(fingerprint(policy, rule, attributes))) {
                throw new IllegalArgumentException("the hold was taken with another "
                        + String.join(" or ", rule.dimensions())
                        + "; renew and release it with the attributes that it was taken with");
            }
            rules.add(rule);
        }
        if (rules.isEmpty()) {
            throw new IllegalArgumentException("the ticket is of no rule of policy " + policy.name());
        }
        return rules;
    }

    /** Returns the names that identify a rule. They include the dimensions: a rule with other dimensions is another rule. */
    private static String names(InFlightPolicy policy, InFlightRule rule) {
        return policy.name() + '\0' + rule.name() + '\0' + String.join(",", rule.dimensions());
    }

    /** Returns the hash of the names in the upper half, and of the names and ids in the lower half. */
    private static long fingerprint(InFlightPolicy policy, InFlightRule rule, Attributes attributes) {
        String names = names(policy, rule);
        StringBuilder text = new StringBuilder(names);
        for (String id : attributes.idsOf(rule)) {
            text.append('\0').append(id.length()).append(':').append(id);
        }
        return (long) hash(names) << Integer.SIZE | Integer.toUnsignedLong(hash(text.toString()));
    }

    /** Hashes a text in UTF-8; or in UTF-16, if UTF-8 can't encode it because it has unpaired surrogates. */
    private static int hash(String text) {
        if (!StandardCharsets.UTF_8.newEncoder().canEncode(text)) {
            return ByteBuffer.wrap(BoundedId.hash(text, Integer.BYTES)).getInt();
        }
        try {
            byte[] bytes = text.getBytes(StandardCharsets.UTF_8);
            return ByteBuffer.wrap(MessageDigest.getInstance("SHA-256").digest(bytes))
                    .getInt();
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException("every Java has SHA-256", e);
        }
    }
}
