package io.headgate.spring.web.internal;

import static io.headgate.spring.web.internal.RouteFixture.decide;
import static io.headgate.spring.web.internal.RouteFixture.request;
import static org.assertj.core.api.Assertions.assertThat;

import io.headgate.config.Policies;
import io.headgate.http.attributes.AsyncValueResolver;
import io.headgate.http.attributes.ResolvedValue;
import io.headgate.http.attributes.ValueResolver;
import io.headgate.limits.Limit;
import io.headgate.limits.Policy;
import io.headgate.spring.web.internal.RouteDecision.Admitted;
import io.headgate.spring.web.internal.RouteDecision.Denied;
import io.headgate.spring.web.internal.RouteDecision.NotLimited;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Tests the values, permits and policies that routes find for requests. */
class RouteValuesTest {

    private static final Phase AFTER = Phase.AFTER_AUTHENTICATION;

    private final RouteFixture fixture = new RouteFixture();

    /** A bean for expressions. */
    public static final class Plans {

        public CompletionStage<String> policy(String name) {
            return CompletableFuture.supplyAsync(() -> name);
        }

        public String failing() {
            throw new IllegalStateException("as the test wants");
        }
    }

    @AfterEach
    void close() {
        fixture.close();
    }

    private void register() {
        fixture.beans.registerSingleton("plans", new Plans());
        fixture.beans.registerSingleton(
                "own", (ValueResolver) request -> ResolvedValue.of("own", "own " + request.method()));
        fixture.beans.registerSingleton("later", (AsyncValueResolver)
                request -> CompletableFuture.supplyAsync(() -> ResolvedValue.of("own", "later " + request.method())));
        fixture.beans.registerSingleton("failing", (AsyncValueResolver)
                request -> CompletableFuture.failedFuture(new IllegalStateException("as the test wants")));
        fixture.beans.registerSingleton("null", (AsyncValueResolver) request -> CompletableFuture.completedFuture(null));
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            textBlock =
                    """
            principal.name        | alice
            client-address        | 192.0.2.7
            header(x-key)         | k
            query(q)              | x y
            cookie(c)             | cookie
            path-variable(id)     | a b
            path-pattern          | /orders/{id}/**
            path                  | /orders/a b/x
            method                | GET
            fixed(f)              | f
            @own                  | own GET
            @later                | later GET
            #{principal.name + 1} | alice1
            #{request.method()}   | GET
            #{clientAddress}      | 192.0.2.7
            #{pathVariables.id}   | a b
            #{pathVariables[id]}  | a b
            #{@plans.policy('p')} | p
            header(None)          | absent:192.0.2.7
            #{null}               | absent:192.0.2.7
            #{@plans.failing()}   | absent:192.0.2.7
            #{@plans}             | absent:192.0.2.7
            #{{'a'}}              | absent:192.0.2.7
            #{7}                  | 7
            @failing              | absent:192.0.2.7
            @null                 | absent:192.0.2.7
            fixed(absent:1.2.3.4) | absent:192.0.2.7
            """)
    void each_value_is_what_the_guide_says(String value, String expected) {
        register();
        RouteDecider decider = fixture.decider(
                "routes: [{path: '/orders/{id}/**', policy: user, by: {user: \"" + value + "\"}}]");

        assertThat(decide(decider, request())).isInstanceOf(Admitted.class);
        assertThat(fixture.remaining("user", expected)).isEqualTo(1);

        assertThat(decider.decideAsync(request(), AFTER, NotLimited.UNMATCHED)
                        .toCompletableFuture()
                        .join())
                .isInstanceOf(Admitted.class);
        assertThat(fixture.remaining("user", expected)).isZero();
    }

    @Test
    void of_a_list_the_first_value_that_is_present_counts() {
        register();
        RouteDecider decider = fixture.decider(
                "routes: [{policy: user, by: {user: ['@failing', header(X-Key), principal.name]}}]");
        decide(decider, FakeWebRequest.get("/").user("alice"));
        decide(decider, request());
        assertThat(fixture.remaining("user", "alice")).isEqualTo(1);
        assertThat(fixture.remaining("user", "k")).isEqualTo(1);
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            textBlock =
                    """
            permits: 2                                              | 0
            permits: "#{request.query().get()}"                     | 0
            permits: "#{@plans.policy('2')}"                        | 0
            permits: "#{null}"                                      | 1
            permits: "#{'many'}"                                    | 1
            permits: "#{'0'}"                                       | 1
            permits: "#{'1.5'}"                                     | 1
            permits: "#{@plans.failing()}"                          | 1
            permits: "#{-1}"                                        | 1
            skip: "true"                                            | 2
            skip: "false"                                           | 1
            skip: "@plans.failing()"                                | 1
            skip: "null"                                            | 1
            """)
    void permits_and_skip_decide_what_is_charged(String setting, long remaining) {
        register();
        RouteDecider decider = fixture.decider("routes: [{policy: user, by: {user: fixed(x)}, " + setting + "}]");
        assertThat(decide(decider, FakeWebRequest.get("/?2"))).isNotInstanceOf(Denied.class);
        assertThat(fixture.remaining("user", "x")).isEqualTo(remaining);
    }

    @ParameterizedTest
    @CsvSource(
            quoteCharacter = '"',
            value = {"'user', 1", "@plans.policy('user'), 1", "'none', 2"})
    void an_expression_chooses_the_policy(String expression, long remaining) {
        register();
        RouteDecider decider =
                fixture.decider("routes: [{policy: \"#{" + expression + "}\", by: {user: fixed(x), ip: client-address}}]");
        assertThat(decide(decider, FakeWebRequest.get("/"))).isNotInstanceOf(Denied.class);
        assertThat(fixture.remaining("user", "x")).isEqualTo(remaining);
    }

    @Test
    void a_request_without_a_required_value_is_denied_and_charges_nothing() {
        RouteDecider decider = fixture.decider(
                "match: all\nroutes: [{policy: all}, {policy: user, by: {user: header(X-Key)}, absent: deny}]");
        Denied denied = (Denied) decide(decider, FakeWebRequest.get("/"));
        assertThat(denied.status()).isEqualTo(400);
        assertThat(denied.problem().detail())
                .isEqualTo("The request needs a value of user: header field X-Key is missing.");
        assertThat(denied.decisions()).isEmpty();
        assertThat(fixture.registry
                        .limiter("all")
                        .peek(io.headgate.limits.PermitRequest.global())
                        .remaining())
                .isEqualTo(2);
    }

    @Test
    void a_rule_whose_value_is_missing_can_be_skipped_and_the_others_still_apply() {
        RouteDecider decider = fixture.decider(
                "routes: [{policy: both, by: {ip: client-address, user: principal.name}, absent: skip-rule}]");
        assertThat(decide(decider, FakeWebRequest.get("/"))).isInstanceOf(Admitted.class);
        Admitted named = (Admitted) decide(decider, request());
        assertThat(named.fields().get("RateLimit")).contains("\"per-ip\";r=1", "\"per-user\";r=1");
        Admitted anonymous = (Admitted) decide(decider, FakeWebRequest.get("/"));
        assertThat(anonymous.fields().get("RateLimit")).contains("\"per-ip\";r=0").doesNotContain("per-user");
        assertThat(decide(decider, FakeWebRequest.get("/"))).isInstanceOf(Denied.class);
    }

    @Test
    void a_request_without_a_rule_that_applies_is_not_limited() {
        RouteDecider decider =
                fixture.decider("routes: [{policy: user, by: {user: principal.name}, absent: skip-rule}]");
        for (int i = 0; i < 3; i++) {
            assertThat(decide(decider, FakeWebRequest.get("/"))).isEqualTo(new NotLimited(true));
        }
        decide(decider, request());
        decide(decider, request());
        assertThat(decide(decider, request())).isInstanceOf(Denied.class);
    }

    @ParameterizedTest
    @ValueSource(strings = {"'@failing'", "'#{@plans.failing()}'", "['@failing', header(None)]", "fixed(absent:1.2.3.4)"})
    void a_value_that_fails_skips_no_rule(String value) {
        register();
        RouteDecider decider =
                fixture.decider("routes: [{policy: user, by: {user: " + value + "}, absent: skip-rule}]");
        decide(decider, FakeWebRequest.get("/"));
        assertThat(fixture.remaining("user", "absent:192.0.2.7")).isEqualTo(1);
    }

    @Test
    void a_dimension_of_which_the_route_has_no_value_skips_no_rule() {
        RouteDecider decider =
                fixture.decider("routes: [{policy: \"#{'both'}\", by: {ip: client-address}, absent: skip-rule}]");
        Admitted admitted = (Admitted) decide(decider, FakeWebRequest.get("/"));
        assertThat(admitted.fields().get("RateLimit")).contains("per-user");
    }

    @Test
    void a_replaced_policy_applies_also_if_rules_are_skipped() {
        RouteDecider decider = fixture.decider(
                "routes: [{policy: both, by: {ip: client-address, user: principal.name}, absent: skip-rule}]");
        decide(decider, FakeWebRequest.get("/"));
        fixture.registry.replace(Policies.of(List.of(Policy.named("both")
                .rule("per-ip", Limit.slidingWindow(9, RouteFixture.HOUR), "ip")
                .rule("per-user", Limit.slidingWindow(2, RouteFixture.HOUR), "user")
                .build())));
        Admitted admitted = (Admitted) decide(decider, FakeWebRequest.get("/"));
        assertThat(admitted.fields().get("RateLimit")).isEqualTo("\"per-ip\";r=7;t=3600");
    }

    @Test
    void requests_without_any_address_share_a_count() {
        RouteDecider decider = fixture.decider("routes: [{policy: user, by: {user: principal.name}}]");
        decide(decider, FakeWebRequest.get("/").withoutAddress());
        assertThat(fixture.remaining("user", "absent:unknown")).isEqualTo(1);
    }

    @Test
    void the_client_is_found_behind_trusted_proxies() {
        RouteDecider decider = fixture.decider(
                """
                trusted-proxies: [192.0.2.0/24, 198.51.100.1]
                forwarded-field: forwarded
                ipv6-prefix: 48
                routes: [{policy: ip, by: {ip: client-address}}]
                """);
        decide(decider, FakeWebRequest.get("/").header("Forwarded", "for=\"[2001:db8:1:2::3]\", for=198.51.100.1"));
        assertThat(fixture.remaining("ip", "2001:db8:1::/48")).isEqualTo(1);
        decide(
                fixture.decider("trusted-proxies: 1\nroutes: [{policy: ip, by: {ip: client-address}}]"),
                FakeWebRequest.get("/").header("X-Forwarded-For", "203.0.113.1, 203.0.113.9"));
        assertThat(fixture.remaining("ip", "203.0.113.9")).isEqualTo(1);
    }

    @Test
    void overrides_apply_by_values_that_are_no_dimension() {
        RouteDecider decider =
                fixture.decider("routes: [{policy: plans, by: {user: fixed(x), plan: header(Plan)}, permits: 3}]");
        assertThat(decide(decider, FakeWebRequest.get("/"))).isInstanceOf(Denied.class);
        assertThat(decide(decider, FakeWebRequest.get("/").header("Plan", "gold"))).isInstanceOf(Admitted.class);
    }

    @Test
    void deciding_asynchronously_never_waits_for_a_value() {
        CompletableFuture<ResolvedValue> value = new CompletableFuture<>();
        fixture.beans.registerSingleton("later", (AsyncValueResolver) request -> value);
        RouteDecider decider = fixture.decider("routes: [{policy: user, by: {user: '@later'}}]");
        CompletableFuture<RouteDecision> decision = decider.decideAsync(request(), AFTER, NotLimited.UNMATCHED)
                .toCompletableFuture();
        assertThat(decision).isNotDone();
        value.complete(ResolvedValue.of("test", "late"));
        assertThat(decision.join()).isInstanceOf(Admitted.class);
        assertThat(fixture.remaining("user", "late")).isEqualTo(1);
    }
}
