package io.headgate.http;

import io.headgate.limits.Decision;
import io.headgate.limits.RuleDecision;
import io.headgate.limits.combined.CombinedDecision;
import java.time.Duration;
import java.time.Instant;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;
import java.util.StringJoiner;
import java.util.function.BiFunction;
import java.util.function.Function;
import java.util.stream.Collectors;

/**
 * Creates the HTTP fields that describe a decision: {@code X-RateLimit-*} for the decisive rule, the IETF fields {@code
 * RateLimit-Policy} and {@code RateLimit} (draft-ietf-httpapi-ratelimit-headers-11) for every rule of the decision, and {@code
 * Retry-After}. Rules in shadow mode are omitted, because they deny nothing.
 *
 * <p>All times are whole seconds, rounded up. Independent of any HTTP server.
 */
public final class RateLimitFields {

    /** The permits of the decisive rule. */
    public static final String LIMIT = "X-RateLimit-Limit";

    /** The permits that remain under the decisive rule. */
    public static final String REMAINING = "X-RateLimit-Remaining";

    /** Seconds until the limit of the decisive rule is restored. */
    public static final String RESET = "X-RateLimit-Reset";

    /** Each rule with its permits and its window in seconds; for a bucket, the time from empty to full. */
    public static final String POLICY = "RateLimit-Policy";

    /** Each rule with its remaining permits and the seconds until its limit is restored. */
    public static final String CURRENT = "RateLimit";

    /** Seconds until a denied request would be allowed. */
    public static final String RETRY_AFTER = "Retry-After";

    private RateLimitFields() {}

    /**
     * Returns the fields of a decision by name. {@code Retry-After} is present only if the decision has a retry-after. Without a
     * decisive rule, or if all rules are in shadow mode, there is no other field.
     */
    public static Map<String, String> of(Decision decision) {
        Map<String, String> fields = new LinkedHashMap<>();
        if (hasDecisiveRule(decision)) {
            putNumbers(fields, decision);
        }
        retryAfterSeconds(decision).ifPresent(seconds -> fields.put(RETRY_AFTER, seconds.toString()));
        return fields;
    }

    /**
     * Returns the fields of a decision by several policies. The numbers are those of its {@linkplain CombinedDecision#decisive()
     * decisive} decision; {@code RateLimit-Policy} and {@code RateLimit} have every rule of every decision, named {@code policy:rule}.
     * {@code Retry-After} is the time until all policies would allow the request. If the decisive decision has no rules, or only rules in
     * shadow mode, there is no other field.
     */
    public static Map<String, String> of(CombinedDecision decision) {
        Map<String, String> fields = new LinkedHashMap<>();
        Decision decisive = decision.decisive();
        if (hasDecisiveRule(decisive)) {
            putNumbers(fields, decisive);
            fields.put(
                    POLICY, listOf(decision, (one, rule) -> policyItem(one.policyName() + ':', rule, one.decidedAt())));
            fields.put(CURRENT, listOf(decision, (one, rule) -> currentItem(one.policyName() + ':', rule)));
        }
        decision.retryAfter()
                .map(RateLimitFields::wholeSeconds)
                .ifPresent(wait -> fields.put(RETRY_AFTER, wait.toString()));
        return fields;
    }

    private static String listOf(CombinedDecision decision, BiFunction<Decision, RuleDecision, String> item) {
        return decision.decisions().stream()
                .filter(one -> !one.rules().isEmpty())
                .map(one -> listOf(one, rule -> item.apply(one, rule)))
                .filter(items -> !items.isEmpty())
                .collect(Collectors.joining(", "));
    }

    /** Whether a decision has a decisive rule that is not in shadow mode. */
    private static boolean hasDecisiveRule(Decision decision) {
        return decision.decisive().filter(rule -> !rule.rule().shadow()).isPresent();
    }

    private static void putNumbers(Map<String, String> fields, Decision decision) {
        fields.put(LIMIT, Long.toString(decision.limit()));
        fields.put(REMAINING, Long.toString(decision.remaining()));
        fields.put(RESET, Long.toString(Seconds.roundedUp(decision.resetAfter())));
        fields.put(POLICY, listOf(decision, rule -> policyItem("", rule, decision.decidedAt())));
        fields.put(CURRENT, listOf(decision, rule -> currentItem("", rule)));
    }

    /** Returns the whole seconds until the request would be allowed, at least 1; empty if it is allowed, or is never allowed. */
    public static Optional<Long> retryAfterSeconds(Decision decision) {
        return decision.retryAfter().map(RateLimitFields::wholeSeconds);
    }

    private static long wholeSeconds(Duration wait) {
        return Math.max(1, Seconds.roundedUp(wait));
    }

    private static String listOf(Decision decision, Function<RuleDecision, String> item) {
        StringJoiner items = new StringJoiner(", ");
        for (RuleDecision rule : decision.rules()) {
            if (!rule.rule().shadow()) {
                items.add(item.apply(rule));
            }
        }
        return items.toString();
    }

    private static String policyItem(String prefix, RuleDecision rule, Instant at) {
        return quoted(prefix, rule) + ";q=" + rule.limit() + ";w="
                + Windows.seconds(rule.rule().limit(), at);
    }

    private static String currentItem(String prefix, RuleDecision rule) {
        return quoted(prefix, rule) + ";r=" + rule.remaining() + ";t=" + Seconds.roundedUp(rule.resetAfter());
    }

    /** Returns a structured-field string (RFC 8941). Names of policies and rules have no characters that need an escape. */
    private static String quoted(String prefix, RuleDecision rule) {
        return '"' + prefix + rule.rule().name() + '"';
    }
}
