package io.headgate.spring.samples;

import static org.assertj.core.api.Assertions.assertThat;

import io.headgate.spring.samples.KeyLimit.TokenBucket;
import io.netty.handler.codec.http.HttpHeaders;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import org.greenbytes.http.sfv.ListElement;
import org.greenbytes.http.sfv.Parameters;
import org.greenbytes.http.sfv.Parser;
import org.greenbytes.http.sfv.StringItem;

/** Checks a response by itself: its status, its fields by a parser of structured fields, and the body of a denial. */
final class Responses {

    private static final int TOO_MANY_REQUESTS = 429;
    private static final Set<String> NUMBERS =
            Set.of("X-RateLimit-Limit", "X-RateLimit-Remaining", "X-RateLimit-Reset");

    private Responses() {}

    /** Returns the rules that denied the request; none if it was admitted. */
    static Set<String> deniedBy(Call call, int status, HttpHeaders fields, String body) {
        assertThat(status).as("status of %s: %s", call, body).isIn(call.admittedStatus(), TOO_MANY_REQUESTS);
        boolean admitted = status != TOO_MANY_REQUESTS;
        if (admitted) {
            assertThat(fields.getAll("Retry-After")).isEmpty();
        } else {
            assertThat(number(fields, "Retry-After")).isPositive();
        }
        return call.byRequestRateLimiter()
                ? byRequestRateLimiter(call, admitted, fields, body)
                : byHeadgate(call, admitted, fields, body);
    }

    private static Set<String> byHeadgate(Call call, boolean admitted, HttpHeaders fields, String body) {
        for (String name : NUMBERS) {
            assertThat(number(fields, name)).as(name).isNotNegative();
        }
        Map<String, Parameters> policies = members(fields, "RateLimit-Policy");
        policies.forEach((rule, parameters) -> {
            assertThat(parameter(parameters, "q")).isEqualTo(call.quota(rule).permits());
            assertThat(parameter(parameters, "w")).isPositive();
        });
        Map<String, Parameters> current = members(fields, "RateLimit");
        assertThat(current).containsOnlyKeys(policies.keySet());
        current.forEach((rule, parameters) -> {
            long permits = call.quota(rule).permits();
            assertThat(parameter(parameters, "r")).isBetween(0L, admitted ? permits - call.permits() : permits);
            assertThat(parameter(parameters, "t")).isNotNegative();
        });
        if (admitted) {
            assertThat(policies).hasSameSizeAs(call.limits());
            return Set.of();
        }
        Set<String> deniedBy = violated(single(fields, "Content-Type"), body);
        assertThat(policies.keySet()).containsAll(deniedBy);
        return deniedBy;
    }

    private static Set<String> violated(String type, String body) {
        assertThat(type).startsWith("application/problem+json");
        Map<String, Object> problem = SampleInstance.json(body);
        assertThat(problem.get("status")).hasToString("429");
        assertThat(problem).containsKeys("type", "title", "detail", "policy");
        Set<String> rules = new HashSet<>();
        ((List<?>) Objects.requireNonNull(problem.get("violated-policies"))).forEach(rule -> rules.add((String) rule));
        assertThat(rules).isNotEmpty();
        return rules;
    }

    private static Set<String> byRequestRateLimiter(Call call, boolean admitted, HttpHeaders fields, String body) {
        TokenBucket bucket = (TokenBucket) call.quota(KeyLimit.REQUEST_RATE_LIMITER);
        assertThat(number(fields, "X-RateLimit-Burst-Capacity")).isEqualTo(bucket.permits());
        assertThat(number(fields, "X-RateLimit-Replenish-Rate")).isEqualTo(bucket.refillPerSecond());
        assertThat(number(fields, "X-RateLimit-Requested-Tokens")).isEqualTo(call.permits());
        assertThat(number(fields, "X-RateLimit-Remaining"))
                .isBetween(0L, bucket.permits() - (admitted ? call.permits() : 0));
        if (admitted) {
            return Set.of();
        }
        assertThat(body).isEmpty();
        return Set.of(KeyLimit.REQUEST_RATE_LIMITER);
    }

    /** The members of a list by their names. */
    private static Map<String, Parameters> members(HttpHeaders fields, String name) {
        Map<String, Parameters> members = new LinkedHashMap<>();
        for (ListElement<?> member : new Parser(fields.getAll(name)).parseList().get()) {
            assertThat(member).as(name).isInstanceOf(StringItem.class);
            assertThat(members.put(((StringItem) member).get(), member.getParams()))
                    .as(name)
                    .isNull();
        }
        assertThat(members).as(name).isNotEmpty();
        return members;
    }

    private static long parameter(Parameters parameters, String name) {
        return (Long) Objects.requireNonNull(parameters.get(name), name).get();
    }

    private static long number(HttpHeaders fields, String name) {
        return (Long) Parser.parseItem(single(fields, name)).get();
    }

    private static String single(HttpHeaders fields, String name) {
        List<String> values = fields.getAll(name);
        assertThat(values).as(name).hasSize(1);
        return values.get(0);
    }
}
