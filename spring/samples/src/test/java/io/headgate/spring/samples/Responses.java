package io.headgate.spring.samples;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.handler.codec.http.HttpHeaders;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import org.greenbytes.http.sfv.Item;
import org.greenbytes.http.sfv.ListElement;
import org.greenbytes.http.sfv.Parser;
import org.greenbytes.http.sfv.StringItem;

/** Checks a response by itself: its status, its fields by a parser of structured fields, and the body of a denial. */
final class Responses {

    private static final Set<String> NUMBERS =
            Set.of("X-RateLimit-Limit", "X-RateLimit-Remaining", "X-RateLimit-Reset");

    private Responses() {}

    /** Whether the limit admitted the request. */
    static boolean admitted(Call call, int status, HttpHeaders fields, String body, long limit) {
        assertThat(status).as("status of %s: %s", call, body).isIn(call.admittedStatus(), 429);
        boolean admitted = status != 429;
        for (String name : NUMBERS) {
            assertThat(number(single(fields, name))).as(name).isNotNegative();
        }
        assertThat(parameter(fields, "RateLimit-Policy", "q")).isEqualTo(limit);
        assertThat(parameter(fields, "RateLimit-Policy", "w")).isPositive();
        assertThat(parameter(fields, "RateLimit", "r")).isBetween(0L, admitted ? limit - call.permits() : limit);
        assertThat(parameter(fields, "RateLimit", "t")).isNotNegative();
        if (admitted) {
            assertThat(fields.getAll("Retry-After")).isEmpty();
        } else {
            assertThat(number(single(fields, "Retry-After"))).isPositive();
            checkProblem(single(fields, "Content-Type"), body);
        }
        return admitted;
    }

    private static void checkProblem(String type, String body) {
        assertThat(type).startsWith("application/problem+json");
        Map<String, Object> problem = ShopInstance.json(body);
        assertThat(problem.get("status")).hasToString("429");
        assertThat(problem).containsKeys("type", "title", "detail", "policy");
        assertThat((List<?>) problem.get("violated-policies")).hasSize(1);
    }

    /** A parameter of the only member of a list. */
    private static long parameter(HttpHeaders fields, String name, String parameter) {
        List<ListElement<?>> members =
                new Parser(fields.getAll(name)).parseList().get();
        assertThat(members).as(name).singleElement().isInstanceOf(StringItem.class);
        Item<?> value = Objects.requireNonNull(members.get(0).getParams().get(parameter), parameter);
        return (Long) value.get();
    }

    private static long number(String value) {
        return (Long) Parser.parseItem(value).get();
    }

    private static String single(HttpHeaders fields, String name) {
        List<String> values = fields.getAll(name);
        assertThat(values).as(name).hasSize(1);
        return values.get(0);
    }
}
