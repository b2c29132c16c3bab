package io.headgate.spring.web.internal;

import static io.headgate.spring.web.internal.RouteFixture.decide;
import static org.assertj.core.api.Assertions.assertThat;

import io.headgate.config.Policies;
import io.headgate.http.attributes.RequestView;
import io.headgate.limits.Limit;
import io.headgate.limits.PermitRequest;
import io.headgate.limits.Policy;
import io.headgate.spring.web.internal.RouteDecision.Admitted;
import io.headgate.spring.web.internal.RouteDecision.Denied;
import io.headgate.spring.web.internal.RouteDecision.NotLimited;
import java.util.List;
import java.util.function.Predicate;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.beans.factory.support.RootBeanDefinition;
import org.springframework.web.util.pattern.PathPatternParser;

/** Tests that a client evades no limit by the content of its requests. */
class RouteEvasionTest {

    private static final Phase AFTER = Phase.AFTER_AUTHENTICATION;
    private static final Phase BEFORE = Phase.BEFORE_AUTHENTICATION;

    private final RouteFixture fixture = new RouteFixture();

    @AfterEach
    void close() {
        fixture.close();
    }

    @ParameterizedTest
    @ValueSource(strings = {"'usr'", "''", "null", "'exports'", "@plans.failing()", "request.headers('Plan')[0]"})
    void a_request_is_denied_if_no_policy_can_be_chosen(String expression) {
        fixture.beans.registerSingleton("plans", new RouteValuesTest.Plans());
        RouteDecider decider = fixture.decider("routes: [{policy: \"#{" + expression + "}\", status: 503}]");
        Denied denied = (Denied) decide(decider, FakeWebRequest.get("/"));
        assertThat(denied.status()).isEqualTo(503);
        assertThat(denied.problem().detail()).isEqualTo("The server could not choose the policy of the request.");
    }

    @Test
    void more_permits_than_a_limit_can_have_are_denied() {
        RouteDecider decider = fixture.decider(
                "routes: [{policy: user, by: {user: fixed(x)}, permits: \"#{request.query().get()}\"}]");
        for (String permits : List.of("99999999999999999999", "1e999999999", "3")) {
            assertThat(decide(decider, FakeWebRequest.get("/?" + permits))).isInstanceOf(Denied.class);
        }
        assertThat(decide(decider, FakeWebRequest.get("/?-1e999999999"))).isInstanceOf(Admitted.class);
        assertThat(fixture.remaining("user", "x")).isEqualTo(1);
    }

    @Test
    void an_exemption_does_not_apply_if_its_condition_fails() {
        RouteDecider decider = fixture.decider(
                "routes: [{when: \"request.headers('X-Internal')[0] == 's'\", policy: none}, {policy: all}]");
        assertThat(decide(decider, FakeWebRequest.get("/"))).isInstanceOf(Admitted.class);
        assertThat(decide(decider, FakeWebRequest.get("/").header("X-Internal", "s")))
                .isEqualTo(new NotLimited(true));
    }

    /** Matches requests of the office; fails without the field. */
    static class Office implements Predicate<RequestView> {

        @Override
        public boolean test(RequestView request) {
            return request.headers("Site").get(0).equals("office");
        }
    }

    @Test
    void a_bean_decides_whether_a_route_matches_and_whether_it_limits() {
        fixture.beans.registerBeanDefinition("office", new RootBeanDefinition(Office.class));
        RouteDecider matched = fixture.decider("routes: [{when: '@office', policy: none}, {policy: all}]");
        RouteDecider skipped = fixture.decider("routes: [{policy: all, skip: '@office'}]");
        for (RouteDecider decider : List.of(matched, skipped)) {
            assertThat(decide(decider, FakeWebRequest.get("/").header("Site", "office")))
                    .isEqualTo(new NotLimited(true));
        }
        assertThat(decide(matched, FakeWebRequest.get("/"))).isInstanceOf(Admitted.class);
        assertThat(decide(skipped, FakeWebRequest.get("/").header("Site", "home")))
                .isInstanceOf(Admitted.class);
        assertThat(decide(skipped, FakeWebRequest.get("/"))).isInstanceOf(Denied.class);
    }

    @Test
    void a_result_that_cannot_be_converted_is_a_failed_one() {
        fixture.results = result -> {
            throw new IllegalStateException("as the test wants");
        };
        RouteDecider permits = fixture.decider("routes: [{policy: all, permits: '#{2}'}]");
        assertThat(decide(permits, FakeWebRequest.get("/"))).isInstanceOf(Admitted.class);
        RouteDecider policy = fixture.decider("routes: [{policy: '#{1}'}]");
        assertThat(decide(policy, FakeWebRequest.get("/"))).isInstanceOf(Denied.class);
    }

    @Test
    void a_route_matches_the_path_that_was_received_and_the_one_that_the_server_resolved() {
        RouteDecider decider = fixture.decider(
                "routes: [{path: '/free/**', policy: none}, {path: '/a/{user}', policy: user, by: {user: path}}]");
        assertThat(decide(decider, FakeWebRequest.get("/free/../a/b").resolvedTo("/a/b")))
                .isInstanceOf(Admitted.class);
        assertThat(decide(decider, FakeWebRequest.get("/a/b").resolvedTo("/free/b"))).isInstanceOf(Admitted.class);
        assertThat(fixture.remaining("user", "/a/b")).isZero();
        assertThat(decide(decider, FakeWebRequest.get("/free/a/../b").resolvedTo("/free/b")))
                .isEqualTo(new NotLimited(true));
    }

    @Test
    void a_path_that_the_first_phase_matched_by_one_form_is_decided_by_the_other_one() {
        RouteDecider decider = fixture.decider(
                "routes: [{path: '/login/**', policy: ip, by: {ip: client-address}, before-authentication: true}, {policy: all}]");
        for (boolean denied : new boolean[] {false, false, true}) {
            FakeWebRequest request = FakeWebRequest.get("/login/../a").resolvedTo("/a");
            RouteDecision before = decider.decide(request.from("192.0.2.8"), BEFORE, NotLimited.UNMATCHED);
            if (!denied) {
                assertThat(decider.decide(request, AFTER, before)).isInstanceOf(Admitted.class);
            }
        }
        assertThat(decide(decider, FakeWebRequest.get("/a"))).isInstanceOf(Denied.class);
    }

    @ParameterizedTest
    @ValueSource(strings = {"/c/pay;a=0", "/c/pay;a=1", "/c/p%61y", "/c//pay/", "/c;x/pay"})
    void spellings_of_a_path_count_together(String path) {
        RouteDecider decider = fixture.decider("routes: [{policy: user, by: {user: path}}]");
        decide(decider, FakeWebRequest.get(path));
        assertThat(fixture.remaining("user", "/c/pay")).isEqualTo(1);
    }

    @Test
    void paths_match_and_count_as_those_of_the_application() {
        fixture.paths = new PathPatternParser();
        fixture.paths.setCaseSensitive(false);
        RouteDecider decider = fixture.decider("routes: [{path: '/login/**', policy: user, by: {user: path}}]");
        assertThat(decide(decider, FakeWebRequest.get("/LOGIN/a"))).isInstanceOf(Admitted.class);
        assertThat(decide(decider, FakeWebRequest.get("/login/A/"))).isInstanceOf(Admitted.class);
        assertThat(decide(decider, FakeWebRequest.get("/Login/%41"))).isInstanceOf(Denied.class);
    }

    @Test
    void an_escaped_slash_is_a_part_of_its_segment() {
        RouteDecider decider =
                fixture.decider("routes: [{path: '/a/b', policy: all}, {path: '/*', policy: user, by: {user: path}}]");
        assertThat(decide(decider, FakeWebRequest.get("/a%2Fb"))).isInstanceOf(Admitted.class);
        assertThat(fixture.remaining("user", "/a%2Fb")).isEqualTo(1);
        // If the server decodes it, the request matches the route of what the server resolves.
        assertThat(decide(decider, FakeWebRequest.get("/a%2Fb").resolvedTo("/a/b"))).isInstanceOf(Admitted.class);
        assertThat(fixture.registry
                        .limiter("all")
                        .peek(PermitRequest.global())
                        .remaining())
                .isEqualTo(1);
    }

    @ParameterizedTest
    @ValueSource(strings = {"absent:", "absent:192.0.2.7"})
    void a_name_cannot_be_that_of_an_absent_value(String name) {
        RouteDecider deny =
                fixture.decider("routes: [{policy: user, by: {user: principal.name}, absent: deny}]");
        assertThat(((Denied) decide(deny, FakeWebRequest.get("/").user(name))).status())
                .isEqualTo(400);
        RouteDecider substitute = fixture.decider("routes: [{policy: user, by: {user: principal.name}}]");
        decide(substitute, FakeWebRequest.get("/").user(name).from("192.0.2.8"));
        assertThat(fixture.remaining("user", "absent:192.0.2.8")).isEqualTo(1);
    }

    @Test
    void a_principal_whose_name_fails_has_none() {
        RouteDecider decider = fixture.decider("routes: [{policy: user, by: {user: principal.name}}]");
        FakeWebRequest request = FakeWebRequest.get("/").user(() -> {
            throw new IllegalStateException("as the test wants");
        });
        assertThat(decide(decider, request)).isInstanceOf(Admitted.class);
        assertThat(fixture.remaining("user", "absent:192.0.2.7")).isEqualTo(1);
    }

    @Test
    void a_policy_that_an_expression_chooses_in_both_phases_is_charged_once() {
        RouteDecider decider = fixture.decider(
                "match: all\nroutes: [{policy: all, before-authentication: true}, {policy: \"#{'all'}\"}]");
        RouteDecision before = decider.decide(FakeWebRequest.get("/"), BEFORE, NotLimited.UNMATCHED);
        decider.decide(FakeWebRequest.get("/"), AFTER, before);
        assertThat(fixture.registry
                        .limiter("all")
                        .peek(PermitRequest.global())
                        .remaining())
                .isEqualTo(1);
    }

    @ParameterizedTest
    @ValueSource(strings = {"header(X-Key)", "[header(X-Key), client-address]"})
    void a_value_that_is_given_twice_is_not_replaced(String value) {
        RouteDecider decider = fixture.decider("routes: [{policy: user, by: {user: " + value + "}}]");
        Denied denied = (Denied)
                decide(decider, FakeWebRequest.get("/").header("X-Key", "a").header("X-Key", "b"));
        assertThat(denied.status()).isEqualTo(400);
        assertThat(denied.problem().detail())
                .isEqualTo("The request needs a value of user: header field X-Key is given 2 times; give it once.");
    }

    @Test
    void policies_with_too_many_rules_together_deny() {
        Policy.Builder many = Policy.named("many");
        for (int i = 0; i < 16; i++) {
            many.rule("rule-" + i, Limit.slidingWindow(2, RouteFixture.HOUR));
        }
        fixture.registry.replace(
                Policies.of(List.of(many.build(), Policy.of("one", Limit.slidingWindow(1, RouteFixture.HOUR)))));
        RouteDecider decider =
                fixture.decider("match: all\nroutes: [{policy: \"#{'many'}\"}, {policy: \"#{'one'}\"}]");
        Denied denied = (Denied) decide(decider, FakeWebRequest.get("/"));
        assertThat(denied.status()).isEqualTo(429);
        assertThat(denied.problem().detail())
                .isEqualTo("The policies of the request have more than 16 rules together.");
    }
}
