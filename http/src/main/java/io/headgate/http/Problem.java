package io.headgate.http;

import io.headgate.limits.Decision;
import io.headgate.limits.Policy;
import io.headgate.limits.RuleDecision;
import java.time.Duration;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * The body of an HTTP response that reports an error (RFC 9457).
 *
 * @param type a URI that identifies the type of problem; {@link #NO_TYPE} if the status is sufficient
 * @param title a short name of the type
 * @param status the HTTP status, 100 to 599
 * @param detail what is wrong, and what is allowed
 * @param extensions further members, in order
 */
public record Problem(String type, String title, int status, String detail, Map<String, Object> extensions) {

    /** The media type of a response with such a body. */
    public static final String MEDIA_TYPE = "application/problem+json";

    /** The type of a problem that the status describes completely. */
    public static final String NO_TYPE = "about:blank";

    /** The type that the IETF draft on rate limit fields registers for denied requests. */
    public static final String QUOTA_EXCEEDED = "https://iana.org/assignments/http-problem-types#quota-exceeded";

    /** The type that the draft registers for requests that are denied although the client has not used up its quota. */
    public static final String TEMPORARY_REDUCED_CAPACITY =
            "https://iana.org/assignments/http-problem-types#temporary-reduced-capacity";

    /**
     * Copies the extensions.
     *
     * @throws IllegalArgumentException if the status is not 100 to 599
     */
    public Problem {
        if (status < 100 || status > 599) {
            throw new IllegalArgumentException("status must be 100 to 599, but is " + status);
        }
        extensions = Collections.unmodifiableMap(new LinkedHashMap<>(extensions));
    }

    /**
     * Returns a problem that its status describes completely. Its title is the reason phrase of the status (RFC 9110 and RFC 6585).
     *
     * @throws IllegalArgumentException if the status is not 100 to 599
     */
    public static Problem of(int status, String detail) {
        return new Problem(NO_TYPE, reasonPhrase(status), status, detail, Map.of());
    }

    /**
     * Returns the problem of a denied request. Its detail states which rule denied the request, what that rule admits, and when to
     * retry, or that this number of permits is never admitted. The extension {@code policy} is the name of the policy, and {@code
     * violated-policies} are the names of the rules that denied.
     *
     * <p>The type is {@link #QUOTA_EXCEEDED}. If the request is paused, or a fallback denied it without reading a count, it is {@link
     * #TEMPORARY_REDUCED_CAPACITY}, the detail names only the policy, and {@code violated-policies} is empty. If the
     * request is banned, the type is {@code about:blank}, and the problem names neither a policy nor a reason.
     *
     * @param status the HTTP status, usually 429
     * @throws IllegalArgumentException if the decision is not a denial, or the status is not 100 to 599
     */
    public static Problem denied(Policy policy, Decision decision, int status) {
        if (decision.allowed()) {
            throw new IllegalArgumentException("decision must be denied, but was " + decision);
        }
        if (decision.basis() == Decision.Basis.BANNED) {
            return banned(decision.retryAfter(), status);
        }
        Map<String, Object> extensions = new LinkedHashMap<>();
        extensions.put("policy", policy.name());
        extensions.put("violated-policies", violated(decision));
        return decision.deniedBy().isPresent()
                ? new Problem(QUOTA_EXCEEDED, "Quota exceeded", status, detail(decision), extensions)
                : new Problem(
                        TEMPORARY_REDUCED_CAPACITY,
                        "Temporarily reduced capacity",
                        status,
                        withRetry(
                                decision.retryAfter(),
                                decision.basis() == Decision.Basis.PAUSED
                                        ? "Policy " + policy.name() + " pauses these requests"
                                        : "Policy " + policy.name()
                                                + " denies all requests while its counts are unavailable"),
                        extensions);
    }

    /**
     * Returns the problem of a banned request, which names neither a policy nor a reason. Its type is {@code about:blank}.
     *
     * @param retryAfter the time until the ban ends; empty if it is permanent
     * @param status the HTTP status, usually 403
     * @throws IllegalArgumentException if the status is not 100 to 599
     */
    public static Problem banned(Optional<Duration> retryAfter, int status) {
        return Problem.of(status, withRetry(retryAfter, "These requests are banned"));
    }

    /** Returns the members of the JSON object, in order. */
    public Map<String, Object> members() {
        Map<String, Object> members = new LinkedHashMap<>();
        members.put("type", type);
        members.put("title", title);
        members.put("status", status);
        members.put("detail", detail);
        members.putAll(extensions);
        return members;
    }

    private static List<String> violated(Decision decision) {
        return decision.rules().stream()
                .filter(rule -> !rule.allowed() && !rule.rule().shadow())
                .map(rule -> rule.rule().name())
                .toList();
    }

    private static String detail(Decision decision) {
        RuleDecision by = decision.rules().stream()
                .filter(rule ->
                        decision.deniedBy().equals(Optional.of(rule.rule().name())))
                .findFirst()
                .orElseThrow();
        String rule = "Rule " + by.rule().name() + " admits " + LimitDescriptions.of(by.rule());
        return decision.retryAfter().isPresent()
                ? withRetry(decision.retryAfter(), rule)
                : rule + ". This many permits are never admitted at once.";
    }

    private static String withRetry(Optional<Duration> retryAfter, String reason) {
        return retryAfter
                .map(RateLimitFields::wholeSeconds)
                .map(seconds -> reason + ". Try again in " + seconds + (seconds == 1 ? " second." : " seconds."))
                .orElse(reason + ".");
    }

    /** The phrase of an error status; of another status, its number. */
    private static String reasonPhrase(int status) {
        return switch (status) {
            case 400 -> "Bad Request";
            case 401 -> "Unauthorized";
            case 402 -> "Payment Required";
            case 403 -> "Forbidden";
            case 404 -> "Not Found";
            case 405 -> "Method Not Allowed";
            case 406 -> "Not Acceptable";
            case 407 -> "Proxy Authentication Required";
            case 408 -> "Request Timeout";
            case 409 -> "Conflict";
            case 410 -> "Gone";
            case 411 -> "Length Required";
            case 412 -> "Precondition Failed";
            case 413 -> "Content Too Large";
            case 414 -> "URI Too Long";
            case 415 -> "Unsupported Media Type";
            case 416 -> "Range Not Satisfiable";
            case 417 -> "Expectation Failed";
            case 421 -> "Misdirected Request";
            case 422 -> "Unprocessable Content";
            case 426 -> "Upgrade Required";
            case 428 -> "Precondition Required";
            case 429 -> "Too Many Requests";
            case 431 -> "Request Header Fields Too Large";
            case 500 -> "Internal Server Error";
            case 501 -> "Not Implemented";
            case 502 -> "Bad Gateway";
            case 503 -> "Service Unavailable";
            case 504 -> "Gateway Timeout";
            case 505 -> "HTTP Version Not Supported";
            case 511 -> "Network Authentication Required";
            default -> "Status " + status;
        };
    }
}
