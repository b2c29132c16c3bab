package io.headgate.server.limits;

import io.headgate.limits.Decision;
import io.headgate.limits.RuleDecision;
import io.headgate.server.text.Seconds;
import java.time.Instant;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;
import java.util.function.Function;
import java.util.stream.Collectors;

/**
 * A decision as HTTP fields: the {@code X-RateLimit-*} fields of the decisive rule, the IETF fields {@code
 * RateLimit-Policy} and {@code RateLimit} (draft 11) of every rule, and {@code Retry-After}. Of a rule in the shadow
 * there is nothing in them: it limits nobody.
 *
 * <p>All times are whole seconds, rounded up. Pure: it knows of no server.
 */
final class RateLimitHeaders {

    static final String LIMIT = "X-RateLimit-Limit";
    static final String REMAINING = "X-RateLimit-Remaining";
    static final String RESET = "X-RateLimit-Reset";
    static final String POLICY = "RateLimit-Policy";
    static final String CURRENT = "RateLimit";
    static final String RETRY_AFTER = "Retry-After";

    private RateLimitHeaders() {}

    /** The fields, in the order in which they are best read. {@code Retry-After} only when waiting helps. */
    static Map<String, String> of(Decision decision) {
        Map<String, String> fields = new LinkedHashMap<>();
        if (decision.decisive().rule().shadow()) {
            return fields; // so are all others
        }
        fields.put(LIMIT, Long.toString(decision.limit()));
        fields.put(REMAINING, Long.toString(decision.remaining()));
        fields.put(RESET, Long.toString(Seconds.roundedUp(decision.resetAfter())));
        fields.put(POLICY, listOf(decision, rule -> policyItem(rule, decision.decidedAt())));
        fields.put(CURRENT, listOf(decision, RateLimitHeaders::currentItem));
        retryAfterSeconds(decision).ifPresent(seconds -> fields.put(RETRY_AFTER, seconds.toString()));
        return fields;
    }

    /** Whole seconds until the request would pass, at least 1; empty when it passed, and when it never will. */
    static Optional<Long> retryAfterSeconds(Decision decision) {
        return decision.retryAfter().map(wait -> Math.max(1, Seconds.roundedUp(wait)));
    }

    private static String listOf(Decision decision, Function<RuleDecision, String> item) {
        return decision.rules().stream()
                .filter(rule -> !rule.rule().shadow())
                .map(item)
                .collect(Collectors.joining(", "));
    }

    private static String policyItem(RuleDecision rule, Instant at) {
        return quoted(rule) + ";q=" + rule.limit() + ";w="
                + Windows.seconds(rule.rule().limit(), at);
    }

    private static String currentItem(RuleDecision rule) {
        return quoted(rule) + ";r=" + rule.remaining() + ";t=" + Seconds.roundedUp(rule.resetAfter());
    }

    /** A structured-field string (RFC 8941); the names of rules have nothing that would need an escape. */
    private static String quoted(RuleDecision rule) {
        return '"' + rule.rule().name() + '"';
    }
}
