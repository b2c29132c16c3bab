package io.headgate.server.limits;

import io.headgate.limits.Decision;
import io.headgate.limits.Policy;
import io.headgate.limits.Rule;
import io.headgate.limits.RuleDecision;
import io.headgate.server.http.ProblemException;
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
 * What a decision charged, as text that a client keeps and gives back: when, how many permits, of which policy, and each
 * rule that was charged, with when its limit would be whole again.
 *
 * <p>In URL-safe Base64: a version (1 byte), the time in microseconds (8), permits (4), four bytes of the SHA-256 of the
 * policy's name, and for each rule four bytes of the SHA-256 of its name and kind, and the reset in microseconds (8). Who wrote it is not told by it, so every number is
 * checked when it is read.
 */
final class Receipt {

    private static final byte VERSION = 2;
    private static final int HEAD_BYTES = 1 + 8 + 4 + 4;
    private static final int RULE_BYTES = 4 + 8;
    private static final int MAX_RULES = 16;
    private static final int MAX_CHARACTERS = (HEAD_BYTES + MAX_RULES * RULE_BYTES + 2) / 3 * 4;

    /** The most permits of any limit. */
    static final int MAX_PERMITS = 1_000_000_000;

    /** Scripts count exactly below this. */
    private static final long MAX_MICROS = 1L << 53;

    /** Longer than any limit takes to be whole, of which ten years are the longest. */
    private static final long MAX_RESET_MICROS = 1L << 49;

    private Receipt() {}

    /** The receipt of a decision, if that charged anything: a request that only rules in the shadow deny passes uncharged. */
    static Optional<String> of(Decision decision) {
        List<RuleDecision> charged =
                decision.rules().stream().filter(RuleDecision::allowed).toList();
        if (decision.charged() == 0 || charged.isEmpty()) {
            return Optional.empty();
        }
        ByteBuffer bytes = ByteBuffer.allocate(HEAD_BYTES + charged.size() * RULE_BYTES)
                .put(VERSION)
                .putLong(ChronoUnit.MICROS.between(Instant.EPOCH, decision.decidedAt()))
                .putInt((int) decision.charged())
                .putInt(mark(decision.policyName()));
        for (RuleDecision rule : charged) {
            bytes.putInt(mark(decision.policyName(), rule.rule())).putLong(micros(rule.resetAfter()));
        }
        return Optional.of(Base64.getUrlEncoder().withoutPadding().encodeToString(bytes.array()));
    }

    /**
     * The decision of a receipt, as far as a refund needs it: of the rules that the policy still has, if it has any of them.
     *
     * @throws ProblemException with status 400 when it is no receipt, or of another policy
     */
    static Optional<Decision> read(String receipt, Policy policy) {
        ByteBuffer bytes = ByteBuffer.wrap(decoded(receipt));
        try {
            require(bytes.get() == VERSION
                    && bytes.capacity() > HEAD_BYTES
                    && (bytes.capacity() - HEAD_BYTES) % RULE_BYTES == 0);
            long atMicros = bytes.getLong();
            int permits = bytes.getInt();
            int policyMark = bytes.getInt();
            require(atMicros > 0 && atMicros <= MAX_MICROS - MAX_RESET_MICROS && permits > 0 && permits <= MAX_PERMITS);
            Map<Integer, Long> resets = new HashMap<>();
            while (bytes.hasRemaining()) {
                int mark = bytes.getInt();
                long resetMicros = bytes.getLong();
                require(resetMicros >= 0 && resetMicros < MAX_RESET_MICROS);
                require(resets.put(mark, resetMicros) == null);
            }
            if (policyMark != mark(policy.name())) {
                throw ProblemException.badRequest("the receipt is of another policy than " + policy.name());
            }
            return decision(policy, atMicros, permits, resets);
        } catch (BufferUnderflowException e) {
            throw none();
        }
    }

    private static Optional<Decision> decision(Policy policy, long atMicros, int permits, Map<Integer, Long> resets) {
        Policy.Builder charged = Policy.named(policy.name());
        List<RuleDecision> rules = new ArrayList<>();
        for (Rule rule : policy.rules()) {
            Long resetMicros = resets.get(mark(policy.name(), rule));
            if (resetMicros != null) {
                charged.rule(rule);
                rules.add(RuleDecision.allowed(rule, 0, resetMicros));
            }
        }
        if (rules.isEmpty()) {
            return Optional.empty();
        }
        return Optional.of(Decision.of(charged.build(), atMicros, permits, rules.toArray(RuleDecision[]::new)));
    }

    private static byte[] decoded(String receipt) {
        require(receipt.length() <= MAX_CHARACTERS);
        try {
            return Base64.getUrlDecoder().decode(receipt);
        } catch (IllegalArgumentException e) {
            throw none();
        }
    }

    private static void require(boolean right) {
        if (!right) {
            throw none();
        }
    }

    private static ProblemException none() {
        return ProblemException.badRequest("receipt must be the one of the answer to a check, as it was given");
    }

    /** Tells rules apart by policy, name and kind of limit: of another kind there is another count. */
    private static int mark(String policyName, Rule rule) {
        return mark(
                policyName + '\0' + rule.name() + '\0' + rule.limit().getClass().getSimpleName());
    }

    private static int mark(String name) {
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
