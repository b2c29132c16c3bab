package io.headgate.http;

import io.headgate.limits.Decision;
import io.headgate.limits.RuleDecision;
import io.headgate.limits.combined.CombinedDecision;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;

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
            fields.put(POLICY, listOf(decision, Item.POLICY));
            fields.put(CURRENT, listOf(decision, Item.CURRENT));
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
            fields.put(POLICY, listOf(decision, Item.POLICY));
            fields.put(CURRENT, listOf(decision, Item.CURRENT));
        }
        decision.retryAfter()
                .map(RateLimitFields::wholeSeconds)
                .ifPresent(wait -> fields.put(RETRY_AFTER, wait.toString()));
        return fields;
    }

    private static String listOf(CombinedDecision decision, Item item) {
        StringBuilder items = new StringBuilder();
        for (Decision one : decision.decisions()) {
            append(items, one, one.policyName() + ':', item);
        }
        return items.toString();
    }

    /** Whether a decision has a decisive rule that is not in shadow mode. */
    private static boolean hasDecisiveRule(Decision decision) {
        return decision.decisive().filter(rule -> !rule.rule().shadow()).isPresent();
    }

    private static void putNumbers(Map<String, String> fields, Decision decision) {
        fields.put(LIMIT, Long.toString(decision.limit()));
        fields.put(REMAINING, Long.toString(decision.remaining()));
        fields.put(RESET, Long.toString(Seconds.roundedUp(decision.resetAfter())));
    }

    /** Returns the whole seconds until the request would be allowed, at least 1; empty if it is allowed, or is never allowed. */
    public static Optional<Long> retryAfterSeconds(Decision decision) {
        return decision.retryAfter().map(RateLimitFields::wholeSeconds);
    }

    /** Returns the whole seconds of a wait, rounded up, at least 1. */
    static long wholeSeconds(Duration wait) {
        return Math.max(1, Seconds.roundedUp(wait));
    }

    private static String listOf(Decision decision, Item item) {
        StringBuilder items = new StringBuilder();
        append(items, decision, "", item);
        return items.toString();
    }

    /** Appends an item for each rule that is not in shadow mode. */
    private static void append(StringBuilder items, Decision decision, String prefix, Item item) {
        for (RuleDecision rule : decision.rules()) {
            if (!rule.rule().shadow()) {
                if (!items.isEmpty()) {
                    items.append(", ");
                }
                // A structured-field string (RFC 8941). Names of policies and rules have no characters that need an
                // escape.
                items.append('"').append(prefix).append(rule.rule().name()).append('"');
                item.appendParameters(items, decision, rule);
            }
        }
    }

    /** An item of a field: the name of a rule, with parameters. */
    private enum Item {
        POLICY {
            @Override
            void appendParameters(StringBuilder to, Decision decision, RuleDecision rule) {
                to.append(";q=").append(rule.limit());
                to.append(";w=").append(Windows.seconds(rule.rule().limit(), decision.decidedAt()));
            }
        },
        CURRENT {
            @Override
            void appendParameters(StringBuilder to, Decision decision, RuleDecision rule) {
                to.append(";r=").append(rule.remaining());
                to.append(";t=").append(Seconds.roundedUp(rule.resetAfter()));
            }
        };

        abstract void appendParameters(StringBuilder to, Decision decision, RuleDecision rule);
    }
}
