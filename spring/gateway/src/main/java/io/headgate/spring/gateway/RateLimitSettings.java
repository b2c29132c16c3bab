package io.headgate.spring.gateway;

import io.headgate.spring.web.WebProperties;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The settings of a filter {@code HeadgateRateLimit} in Java: those of an entry of {@code headgate.web.routes}, without its conditions. Not
 * safe for use by several threads.
 *
 * <pre>{@code
 * settings.policy("api").by("user", "header(X-User)").refundOn("5xx")
 * }</pre>
 */
public class RateLimitSettings {

    private final Map<String, Object> by = new LinkedHashMap<>();
    private final List<String> refundOn = new ArrayList<>();
    private @Nullable String policy;
    private String permits = "1";
    private @Nullable String skip;
    private WebProperties.Absent absent = WebProperties.Absent.CLIENT_ADDRESS;
    private int status = 429;
    private boolean fields = true;

    /** Creates settings without a policy. */
    public RateLimitSettings() {}

    /** Sets the name of the policy, or {@code none} to limit nothing, or an expression for it; required. */
    public RateLimitSettings policy(String name) {
        policy = name;
        return this;
    }

    /** Sets the value of a dimension of the policy. If there are several values, the first that is not missing counts. */
    public RateLimitSettings by(String dimension, String... values) {
        Map<String, Object> all = new LinkedHashMap<>();
        for (String value : values) {
            all.put(Integer.toString(all.size()), value);
        }
        by.put(dimension, all);
        return this;
    }

    /** Sets the permits of a request: a number, or an expression for it. The default is 1. */
    public RateLimitSettings permits(String number) {
        permits = number;
        return this;
    }

    /** Sets an expression or a bean as {@code @office}; if it is true, the request is not limited. */
    public RateLimitSettings skip(String condition) {
        skip = condition;
        return this;
    }

    /** Sets what happens if a value is absent. */
    public RateLimitSettings absent(WebProperties.Absent reaction) {
        absent = reaction;
        return this;
    }

    /** Adds statuses of the upstream, or classes such as {@code 5xx}, whose permits are refunded. */
    public RateLimitSettings refundOn(String... statuses) {
        refundOn.addAll(List.of(statuses));
        return this;
    }

    /** Sets the status of a denied request: 400 to 599. The default is 429. */
    public RateLimitSettings status(int code) {
        status = code;
        return this;
    }

    /** Sets whether to send rate-limit fields. The default is true. */
    public RateLimitSettings fields(boolean send) {
        fields = send;
        return this;
    }

    /** Returns these settings as those of a route without conditions. */
    WebProperties.Route route() {
        return new WebProperties.Route(
                List.of(),
                List.of(),
                Map.of(),
                Map.of(),
                null,
                policy,
                Map.copyOf(by),
                permits,
                skip,
                absent,
                false,
                List.copyOf(refundOn),
                status,
                fields);
    }
}
