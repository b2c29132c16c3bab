package io.headgate.spring.web;

import io.headgate.http.RateLimitFields;
import io.headgate.limits.Decision;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.context.properties.ConfigurationProperties;
import org.springframework.boot.context.properties.bind.DefaultValue;

/**
 * The properties {@code headgate.web}: which requests are limited, and by which policies. A property that does not exist fails the start.
 *
 * @param routes Routes, in the order in which they are checked.
 * @param match Whether the first matching route decides, or all of them.
 * @param trustedProxies Networks of the trusted proxies, or their number. None by default, so that forwarding fields are ignored.
 * @param forwardedField Header field in which proxies name the client.
 * @param ipv6Prefix Length of the IPv6 network that counts as one client: 1 to 128.
 * @param reset Form of the field X-RateLimit-Reset.
 * @param banStatus Status of a request that is banned: 400 to 599.
 */
@ConfigurationProperties("headgate.web")
public record WebProperties(
        @DefaultValue List<Route> routes,
        @DefaultValue("first") Match match,
        @DefaultValue List<String> trustedProxies,
        @DefaultValue("x-forwarded-for") ForwardedField forwardedField,
        @DefaultValue("64") int ipv6Prefix,
        @DefaultValue("seconds") Reset reset,
        @DefaultValue("403") int banStatus) {

    /** Which of the matching routes decide a request. */
    public enum Match {
        /** The first one. */
        FIRST,
        /** All of them together: a request that one of them denies keeps no permit. */
        ALL
    }

    /** The header field in which proxies name the client. */
    public enum ForwardedField {
        /** {@code X-Forwarded-For}. */
        X_FORWARDED_FOR,
        /** {@code Forwarded} (RFC 7239). */
        FORWARDED
    }

    /** The form of {@code X-RateLimit-Reset}. */
    public enum Reset {
        /** Seconds until the limit is restored. */
        SECONDS,
        /** The time at which the limit is restored, in seconds since 1970. */
        EPOCH;

        /**
         * Returns rate-limit fields with the reset in this form.
         *
         * @param fields the fields by name, with the reset in seconds; it is changed
         * @param decisive the decision whose reset it is
         */
        public Map<String, String> in(Map<String, String> fields, Decision decisive) {
            if (this == EPOCH) {
                fields.computeIfPresent(RateLimitFields.RESET, (name, seconds) -> epochSecond(decisive));
            }
            return fields;
        }

        private static String epochSecond(Decision decision) {
            Instant reset = decision.decidedAt().plus(decision.resetAfter());
            return Long.toString(reset.getNano() == 0 ? reset.getEpochSecond() : reset.getEpochSecond() + 1);
        }
    }

    /** What happens to a request without the value of a dimension. */
    public enum Absent {
        /** The client's address counts in place of the value. */
        CLIENT_ADDRESS,
        /** The rules that count by the value do not limit the request. */
        SKIP_RULE,
        /** The request is denied with status 400. */
        DENY
    }

    /**
     * A route: which requests it limits, and by which policy.
     *
     * @param path patterns of paths without the context path; empty for all paths
     * @param method methods; empty for all methods. {@code GET} includes {@code HEAD}
     * @param header header fields that the request must have, each with its value, or {@code *} for any
     * @param query query parameters that the request must have, each with its value, or {@code *} for any
     * @param when an expression that must be true, or the name of a bean that is a predicate, as {@code @office}
     * @param policy the name of the policy, {@code none} to limit nothing, or an expression for it
     * @param by the value of each dimension of the policy: a text, or a list of texts
     * @param permits the permits of a request: a number, or an expression for it
     * @param skip an expression or a bean; if it is true, the request is not limited
     * @param absent what happens if a value is absent
     * @param beforeAuthentication whether to decide before Spring Security authenticates the request
     * @param refundOn statuses, classes of statuses such as {@code 5xx}, or {@code authenticated}, whose permits are refunded
     * @param status the status of a denied request, 400 to 599
     * @param fields whether to send rate-limit fields
     */
    public record Route(
            @DefaultValue List<String> path,
            @DefaultValue List<String> method,
            @DefaultValue Map<String, String> header,
            @DefaultValue Map<String, String> query,
            @Nullable String when,
            @Nullable String policy,
            @DefaultValue Map<String, Object> by,
            @DefaultValue("1") String permits,
            @Nullable String skip,
            @DefaultValue("client-address") Absent absent,
            @DefaultValue("false") boolean beforeAuthentication,
            @DefaultValue List<String> refundOn,
            @DefaultValue("429") int status,
            @DefaultValue("true") boolean fields) {}
}
