package io.headgate.server.limits;

import com.linecorp.armeria.common.HttpHeaders;
import com.linecorp.armeria.common.QueryParams;
import io.headgate.limits.Policy;
import io.headgate.server.http.ProblemException;
import io.headgate.server.text.DurationReader;
import io.headgate.server.text.Quoted;
import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.regex.Pattern;

/**
 * What {@code /check/{policy}} is asked, read from header fields and the query.
 *
 * @param attributes those that the policy counts by
 * @param permits how many; 1 by default
 * @param denyStatus the status of a denial; 429 by default
 * @param hold how long the answer to a request that is to wait may be held back
 */
public record ProxyRequest(Map<String, String> attributes, long permits, int denyStatus, Duration hold) {

    /** What every field of a check begins with; the dimension follows. */
    public static final String FIELD_PREFIX = "Headgate-";

    private static final String PERMITS = "permits";
    private static final String DENY = "deny";
    private static final String HOLD = "hold";

    /** So little that an answer that is held never delays an orderly stop. */
    private static final DurationReader HOLDS = DurationReader.ofMinutes(Duration.ZERO, HeldAnswer.LONGEST);

    private static final Set<String> RESERVED = Set.of(PERMITS, DENY, HOLD);
    private static final Pattern WORD_START = Pattern.compile("(?<=^|-)[a-z]");
    private static final Pattern DIGITS = Pattern.compile("[0-9]+");

    private static final int TOO_MANY_REQUESTS = 429;
    private static final char REPLACEMENT = '\uFFFD';

    /**
     * Reads what the policy needs; whatever else is there is ignored.
     *
     * @throws ProblemException with status 400 when something is missing, given twice, differently, or out of range
     */
    static ProxyRequest parse(Policy policy, HttpHeaders headers, QueryParams query) {
        Map<String, String> attributes = new LinkedHashMap<>();
        for (String dimension : policy.dimensions()) {
            String value = find(dimension, headers, query)
                    .orElseThrow(() -> ProblemException.badRequest(missing(policy, dimension)));
            attributes.put(dimension, value);
        }
        // Never from a field, which some proxies pass on from their clients: one request could use up a common limit.
        long permits = once(PERMITS, query.getAll(PERMITS))
                .map(given -> number(PERMITS, given, 1, Long.MAX_VALUE))
                .orElse(1L);
        int denyStatus = once(DENY, query.getAll(DENY))
                .map(given -> (int) number(DENY, given, 400, 599))
                .orElse(TOO_MANY_REQUESTS);
        Duration hold = once(HOLD, query.getAll(HOLD)).map(ProxyRequest::hold).orElse(HeldAnswer.DEFAULT_HOLD);
        return new ProxyRequest(attributes, permits, denyStatus, hold);
    }

    /**
     * Refuses policies that could not be asked here.
     *
     * @throws IllegalArgumentException when a dimension has a name that means something else in a query
     */
    public static void requireNoReservedNames(List<Policy> policies) {
        for (Policy policy : policies) {
            for (String dimension : policy.dimensions()) {
                if (RESERVED.contains(dimension)) {
                    throw new IllegalArgumentException("policy " + policy.name() + " counts by " + dimension
                            + ", which the server needs as a parameter of its own; rename that dimension");
                }
            }
        }
    }

    private static String missing(Policy policy, String dimension) {
        return "policy " + policy.name() + " counts by " + dimension
                + ", which the request does not contain; send the field "
                + fieldOf(dimension) + ", or " + dimension
                + "= in the query";
    }

    /** The value of that name, from the header field or the query; an empty one is the same as none. */
    private static Optional<String> find(String name, HttpHeaders headers, QueryParams query) {
        String field = fieldOf(name);
        Optional<String> fromField = once(field, headers.getAll(field)).map(ProxyRequest::utf8);
        Optional<String> fromQuery = once(name, query.getAll(name)).map(value -> decoded(name, value));
        if (fromField.isPresent() && fromQuery.isPresent() && !fromField.equals(fromQuery)) {
            throw ProblemException.badRequest(field + " is " + Quoted.of(fromField.get()) + " but " + name
                    + " in the query is " + Quoted.of(fromQuery.get()) + "; give one of them");
        }
        return fromField.or(() -> fromQuery);
    }

    /** The field of that dimension as fields are written: Headgate-User-Agent. Case means nothing to programs. */
    private static String fieldOf(String dimension) {
        return FIELD_PREFIX
                + WORD_START.matcher(dimension).replaceAll(start -> start.group()
                        .toUpperCase(Locale.ROOT));
    }

    private static Optional<String> once(String name, List<String> values) {
        if (values.size() > 1) {
            throw ProblemException.badRequest(name + " is given " + values.size() + " times; give it once");
        }
        return values.stream().filter(value -> !value.isEmpty()).findFirst();
    }

    /** The bytes of a field as UTF-8 where they are, else as ISO-8859-1, which they arrive as. */
    private static String utf8(String field) {
        try {
            return StandardCharsets.UTF_8
                    .newDecoder()
                    .decode(ByteBuffer.wrap(field.getBytes(StandardCharsets.ISO_8859_1)))
                    .toString();
        } catch (CharacterCodingException e) {
            return field;
        }
    }

    private static String decoded(String name, String value) {
        if (value.indexOf(REPLACEMENT) >= 0) {
            throw ProblemException.badRequest(name + " in the query is not UTF-8");
        }
        return value;
    }

    private static Duration hold(String given) {
        return HOLDS.read(given)
                .orElseThrow(() -> ProblemException.badRequest(
                        HOLD + " must be a time from 0ms to 4s such as 500ms, was " + Quoted.of(given)));
    }

    private static long number(String name, String given, long min, long max) {
        // The JDK would also take signs, and the digits of all scripts.
        if (DIGITS.matcher(given).matches()) {
            try {
                long number = Long.parseLong(given);
                if (number >= min && number <= max) {
                    return number;
                }
            } catch (NumberFormatException e) {
                // Said below, like a number out of range.
            }
        }
        throw ProblemException.badRequest(
                name + " must be a whole number from " + min + " to " + max + ", was " + Quoted.of(given));
    }
}
