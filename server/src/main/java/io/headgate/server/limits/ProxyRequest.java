package io.headgate.server.limits;

import io.headgate.http.attributes.RequestView;
import io.headgate.http.attributes.ValueResolver;
import io.headgate.limits.Policy;
import io.headgate.server.http.ProblemException;
import io.headgate.server.text.DurationReader;
import io.headgate.server.text.Quoted;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.regex.Pattern;

/**
 * A check at {@code /check/{policy}}, read from header fields and the query.
 *
 * @param attributes the dimensions of the policy, and those attributes of its overrides that the request contains
 * @param permits the number of permits; 1 by default
 * @param denyStatus the status of a denial; 429 by default
 * @param banStatus the status of a denial by a ban; by default 403, or the status of a denial if that is given
 * @param maxDelay the longest time for which the response may be delayed, if a shaper admits the request later
 */
public record ProxyRequest(
        Map<String, String> attributes, long permits, int denyStatus, int banStatus, Duration maxDelay) {

    /** The prefix of the header field of every dimension. */
    public static final String FIELD_PREFIX = "Headgate-";

    private static final String PERMITS = "permits";
    private static final String DENY = "deny";
    private static final String BAN = "ban";

    /** The parameter for the maximum delay of the response; unrelated to holds of in-flight limits. */
    private static final String HOLD = "hold";

    // Read from the query only: some proxies forward the fields of their clients, and one request could use up a
    // shared limit.
    private static final ValueResolver PERMITS_PARAMETER = ValueResolver.query(PERMITS);
    private static final ValueResolver DENY_PARAMETER = ValueResolver.query(DENY);
    private static final ValueResolver BAN_PARAMETER = ValueResolver.query(BAN);
    private static final ValueResolver HOLD_PARAMETER = ValueResolver.query(HOLD);

    /** The valid values of {@code hold}: short enough that a graceful shutdown waits for each delayed response. */
    private static final DurationReader MAX_DELAYS = DurationReader.upToMinutes(Duration.ZERO, DelayedResponse.LONGEST);

    private static final Set<String> RESERVED = Set.of(PERMITS, DENY, BAN, HOLD);
    private static final Pattern DIGITS = Pattern.compile("[0-9]+");

    private static final int TOO_MANY_REQUESTS = 429;
    private static final int FORBIDDEN = 403;

    /**
     * Reads what the policy needs; other fields and parameters are ignored.
     *
     * @throws ProblemException with status 400 if a value is missing, given several times, invalid or out of range, or the header field and
     *     the query have different values of an attribute
     */
    static ProxyRequest parse(Policy policy, RequestView request, ProxyAttributes attributes) {
        Map<String, String> resolved = attributes.of(policy, request, RESERVED);
        long permits = ProxyAttributes.find(PERMITS_PARAMETER, request)
                .map(given -> number(PERMITS, given, 1, Long.MAX_VALUE))
                .orElse(1L);
        Optional<Integer> denial =
                ProxyAttributes.find(DENY_PARAMETER, request).map(given -> (int) number(DENY, given, 400, 599));
        int banStatus = ProxyAttributes.find(BAN_PARAMETER, request)
                .map(given -> (int) number(BAN, given, 400, 599))
                .or(() -> denial)
                .orElse(FORBIDDEN);
        Duration maxDelay = ProxyAttributes.find(HOLD_PARAMETER, request)
                .map(ProxyRequest::maxDelay)
                .orElse(DelayedResponse.DEFAULT_MAX_DELAY);
        return new ProxyRequest(resolved, permits, denial.orElse(TOO_MANY_REQUESTS), banStatus, maxDelay);
    }

    /**
     * Rejects policies that cannot be checked by a proxy.
     *
     * @throws IllegalArgumentException if the name of a dimension, or of an attribute of an override, is a parameter of the server
     */
    public static void requireNoReservedNames(List<Policy> policies) {
        for (Policy policy : policies) {
            for (String dimension : policy.dimensions()) {
                if (RESERVED.contains(dimension)) {
                    throw new IllegalArgumentException("policy " + policy.name() + " counts by " + dimension
                            + ", which the server needs as a parameter of its own; rename that dimension");
                }
            }
            for (String attribute : policy.overrideAttributes()) {
                if (RESERVED.contains(attribute)) {
                    throw new IllegalArgumentException("policy " + policy.name() + " has an override by " + attribute
                            + ", which the server needs as a parameter of its own; rename that attribute");
                }
            }
        }
    }

    private static Duration maxDelay(String given) {
        return MAX_DELAYS
                .read(given)
                .orElseThrow(() -> ProblemException.badRequest(
                        HOLD + " must be a time from 0ms to 4s such as 500ms, was " + Quoted.of(given)));
    }

    private static long number(String name, String given, long min, long max) {
        // The JDK also accepts signs, and the digits of all scripts.
        if (DIGITS.matcher(given).matches()) {
            try {
                long number = Long.parseLong(given);
                if (number >= min && number <= max) {
                    return number;
                }
            } catch (NumberFormatException e) {
                // Out of range, which the error below reports.
            }
        }
        throw ProblemException.badRequest(
                name + " must be a whole number from " + min + " to " + max + ", was " + Quoted.of(given));
    }
}
