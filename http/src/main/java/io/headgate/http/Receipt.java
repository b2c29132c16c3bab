package io.headgate.http;

import io.headgate.limits.Decision;
import io.headgate.limits.Policy;
import io.headgate.limits.Rule;
import io.headgate.limits.RuleDecision;
import io.headgate.limits.internal.decision.EngineDecision;
import io.headgate.limits.internal.decision.EngineDecisions;
import io.headgate.limits.internal.decision.EngineRuleDecision;
import java.nio.BufferUnderflowException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.Base64;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * Writes and reads receipts. A receipt is a text that a client keeps and sends back for a refund. It has the data of a decision that a
 * refund needs: the time, the permits, the policy, the charge id, and for each charged rule the time until its limit is restored. It
 * does not have the basis: the decision of a local share is refunded where the counts are stored, which may find nothing to refund.
 *
 * <p>The text is URL-safe Base64 of a version (1 byte), the time in microseconds since 1970 (8), the permits (4), four bytes of the
 * SHA-256 of the policy's name, and the charge id (8), by which a decision is refunded once. For each rule follow four bytes of the
 * SHA-256 of its policy, name and kind, and the time until its limit is restored, in microseconds (8).
 *
 * <p>If the rules were decided at different times, by separate calls in a Redis Cluster, the text has another version. Each rule then
 * also has the time from its own decision to the last decision of the request, in microseconds (8).
 *
 * <p>A receipt is not signed: anyone can write one, so every number is checked when it is read.
 */
public final class Receipt {

    private static final byte VERSION = 4;
    private static final int HEAD_BYTES = 1 + 8 + 4 + 4 + 8;
    private static final int RULE_BYTES = 4 + 8;

    /** The version for rules that were decided at different times. */
    private static final byte VERSION_APART = 5;

    /** The oldest version. Versions 1 to 3 have no charge id, and are rejected. */
    private static final byte OLDEST_VERSION = 1;

    private static final int RULE_BYTES_APART = RULE_BYTES + 8;
    private static final int MAX_RULES = 16;
    private static final int MAX_CHARACTERS = (HEAD_BYTES + MAX_RULES * RULE_BYTES_APART + 2) / 3 * 4;

    /** The most permits of any limit. */
    public static final int MAX_PERMITS = 1_000_000_000;

    /** Integers below this are exact in scripts. */
    private static final long MAX_MICROS = 1L << 53;

    /** A bound of the time until a limit is restored, which is at most ten years. */
    private static final long MAX_RESET_MICROS = 1L << 49;

    private Receipt() {}

    /**
     * Returns the receipt of a decision. Empty if the decision charged no permits; a denial charges none even if it was counted as an
     * attempt. Empty, too, if every rule is in shadow mode and would have denied the request.
     */
    public static Optional<String> of(Decision decision) {
        List<RuleDecision> charged =
                decision.rules().stream().filter(RuleDecision::allowed).toList();
        if (decision.charged() == 0 || charged.isEmpty()) {
            return Optional.empty();
        }
        boolean apart = charged.stream().anyMatch(rule -> agoMicros(decision, rule) > 0);
        ByteBuffer bytes = ByteBuffer.allocate(HEAD_BYTES + charged.size() * ruleBytes(apart))
                .put(apart ? VERSION_APART : VERSION)
                .putLong(ChronoUnit.MICROS.between(Instant.EPOCH, decision.decidedAt()))
                .putInt((int) decision.charged())
                .putInt(fingerprint(decision.policyName()))
                .putLong(decision.chargeId());
        for (RuleDecision rule : charged) {
            bytes.putInt(fingerprint(decision.policyName(), rule.rule())).putLong(micros(rule.resetAfter()));
            if (apart) {
                bytes.putLong(agoMicros(decision, rule));
            }
        }
        return Optional.of(Base64.getUrlEncoder().withoutPadding().encodeToString(bytes.array()));
    }

    private static int ruleBytes(boolean apart) {
        return apart ? RULE_BYTES_APART : RULE_BYTES;
    }

    /** The time from the decision of a rule to the last decision of the request. */
    private static long agoMicros(Decision decision, RuleDecision rule) {
        return ChronoUnit.MICROS.between(decision.decidedAt(rule.rule().name()), decision.decidedAt());
    }

    /** The data of a charged rule in a receipt. */
    private record Charged(long resetMicros, long agoMicros) {}

    /**
     * Reads a receipt into a decision that a limiter can refund. It has the charged rules that the policy still has.
     *
     * @return the decision; empty if the policy has none of the charged rules any more
     * @throws IllegalArgumentException if the text is not a receipt, has an older version, or belongs to another policy
     */
    public static Optional<Decision> read(String receipt, Policy policy) {
        ByteBuffer bytes = ByteBuffer.wrap(decoded(receipt));
        try {
            byte version = bytes.get();
            if (version >= OLDEST_VERSION && version < VERSION) {
                throw new IllegalArgumentException(
                        "an older version of Headgate wrote the receipt; it does not identify its decision, and is not refunded");
            }
            boolean apart = version == VERSION_APART;
            require((version == VERSION || apart)
                    && bytes.capacity() > HEAD_BYTES
                    && (bytes.capacity() - HEAD_BYTES) % ruleBytes(apart) == 0);
            long atMicros = bytes.getLong();
            int permits = bytes.getInt();
            int policyFingerprint = bytes.getInt();
            long chargeId = bytes.getLong();
            require(chargeId != 0);
            require(atMicros > 0 && atMicros <= MAX_MICROS - MAX_RESET_MICROS && permits > 0 && permits <= MAX_PERMITS);
            Map<Integer, Charged> charged = new HashMap<>();
            while (bytes.hasRemaining()) {
                int fingerprint = bytes.getInt();
                long resetMicros = bytes.getLong();
                require(resetMicros >= 0 && resetMicros < MAX_RESET_MICROS);
                long agoMicros = apart ? bytes.getLong() : 0;
                require(agoMicros >= 0 && agoMicros < atMicros);
                require(charged.put(fingerprint, new Charged(resetMicros, agoMicros)) == null);
            }
            if (policyFingerprint != fingerprint(policy.name())) {
                throw new IllegalArgumentException("the receipt is not of policy " + policy.name());
            }
            return decision(policy, atMicros, permits, charged).map(decision -> decision.withChargeId(chargeId));
        } catch (BufferUnderflowException e) {
            throw notAReceipt();
        }
    }

    private static Optional<EngineDecision> decision(
            Policy policy, long atMicros, int permits, Map<Integer, Charged> charges) {
        Policy.Builder charged = Policy.named(policy.name());
        List<Long> times = new ArrayList<>();
        List<EngineRuleDecision> rules = new ArrayList<>();
        for (Rule rule : policy.rules()) {
            Charged one = charges.get(fingerprint(policy.name(), rule));
            if (one != null) {
                charged.rule(rule);
                times.add(atMicros - one.agoMicros());
                // A refund does not use the remaining permits, here 0.
                rules.add(EngineRuleDecision.allowed(rule, 0, one.resetMicros()));
            }
        }
        if (rules.isEmpty()) {
            return Optional.empty();
        }
        return Optional.of(EngineDecisions.of(
                charged.build(),
                times.stream().mapToLong(Long::longValue).toArray(),
                permits,
                rules.toArray(EngineRuleDecision[]::new)));
    }

    private static byte[] decoded(String receipt) {
        require(receipt.length() <= MAX_CHARACTERS);
        try {
            return Base64.getUrlDecoder().decode(receipt);
        } catch (IllegalArgumentException e) {
            throw notAReceipt();
        }
    }

    private static void require(boolean right) {
        if (!right) {
            throw notAReceipt();
        }
    }

    private static IllegalArgumentException notAReceipt() {
        return new IllegalArgumentException("receipt must be the receipt from the response to a check, unchanged");
    }

    /** Returns four bytes of a hash that identifies the count of a rule: by policy, name and kind of limit. */
    private static int fingerprint(String policyName, Rule rule) {
        return fingerprint(
                policyName + '\0' + rule.name() + '\0' + rule.limit().getClass().getSimpleName());
    }

    private static int fingerprint(String name) {
        try {
            byte[] hash = MessageDigest.getInstance("SHA-256").digest(name.getBytes(StandardCharsets.UTF_8));
            return ByteBuffer.wrap(hash).getInt();
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException("every Java has SHA-256", e);
        }
    }

    private static long micros(Duration duration) {
        return duration.toNanos() / 1000;
    }
}
