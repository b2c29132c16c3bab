package io.headgate.spring.web.internal;

import static io.headgate.spring.web.internal.RouteFixture.decide;
import static io.headgate.spring.web.internal.RouteFixture.request;
import static org.assertj.core.api.Assertions.assertThat;

import io.headgate.config.Policies;
import io.headgate.http.Problem;
import io.headgate.limits.Limit;
import io.headgate.limits.Policy;
import io.headgate.limits.bans.BanRequest;
import io.headgate.limits.bans.BanTarget;
import io.headgate.spring.web.internal.RouteDecision.Admitted;
import io.headgate.spring.web.internal.RouteDecision.Denied;
import io.headgate.spring.web.internal.RouteDecision.NotLimited;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Tests which routes decide about requests, and what they return. */
class RouteDeciderTest {

    private static final Phase AFTER = Phase.AFTER_AUTHENTICATION;
    private static final Phase BEFORE = Phase.BEFORE_AUTHENTICATION;

    private final RouteFixture fixture = new RouteFixture();

    @AfterEach
    void close() {
        fixture.close();
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            textBlock =
                    """
            path: /a                  | GET /a        | true
            path: /a                  | GET /a/       | true
            path: /a                  | GET /a//      | true
            path: '/a/{b}'            | GET /a/       | false
            path: /a                  | GET /b        | false
            path: '/a/**'             | GET /a        | true
            path: [/x, '/a/{b}']      | GET /a/b;c=d  | true
            path: /login              | GET /%6cogin  | true
            method: POST              | GET /a        | false
            method: [put, get]        | GET /a        | true
            method: GET               | HEAD /a       | true
            header: {A: x}            | GET /a        | true
            header: {a: '*'}          | GET /a        | true
            header: {A: y}            | GET /a        | true
            header: {A: z}            | GET /a        | false
            header: {B: '*'}          | GET /a        | false
            query: {q: x y}           | GET /?q=x+y   | true
            query: {q: '*'}           | GET /?%71     | true
            query: {q: b}             | GET /?q=a&q=b | true
            query: {q: a}             | GET /?qq=a    | false
            query: {q: a}             | GET /         | false
            query: {q: '%'}           | GET /?q=%     | true
            when: request.path() == '/a'      | GET /a | true
            when: '#{request.path() == "/b"}' | GET /a | false
            when: request.path()              | GET /a | true
            """)
    void a_route_matches_by_all_its_conditions(String conditions, String request, boolean matches) {
        RouteDecider decider = fixture.decider("routes: [{policy: all, " + conditions + "}]");
        String[] parts = request.split(" ");
        assertThat(decide(decider, FakeWebRequest.of(parts[0], parts[1])
                        .header("A", "x")
                        .header("A", "y"))
                .matched())
                .isEqualTo(matches);
    }

    @Test
    void the_first_match_decides() {
        RouteDecider decider = fixture.decider(
                "routes: [{path: /free, policy: none}, {path: '/free/**', policy: all}, {policy: ip, by: {ip: client-address}}]");
        assertThat(decide(decider, FakeWebRequest.get("/free"))).isEqualTo(new NotLimited(true));
        assertThat(decide(decider, FakeWebRequest.get("/free/a"))).isInstanceOf(Admitted.class);
        assertThat(fixture.remaining("ip", "192.0.2.7")).isEqualTo(2);
    }

    @Test
    void a_denied_request_has_status_fields_and_a_problem() {
        RouteDecider decider =
                fixture.decider("routes: [{policy: user, by: {user: fixed(x)}, status: 503, permits: 2}]");
        Admitted admitted = (Admitted) decide(decider, request());
        assertThat(admitted.fields())
                .containsEntry("X-RateLimit-Remaining", "0")
                .containsEntry("X-RateLimit-Reset", "3600")
                .doesNotContainKey("Retry-After");

        Denied denied = (Denied) decide(decider, request());
        assertThat(denied.status()).isEqualTo(503);
        assertThat(denied.fields()).containsKeys("Retry-After", "RateLimit", "RateLimit-Policy", "X-RateLimit-Limit");
        assertThat(denied.problem().status()).isEqualTo(503);
        assertThat(denied.problem().extensions()).containsEntry("policy", "user");
        assertThat(denied.decisions()).singleElement().matches(decision -> decision.denied());
    }

    @Test
    void each_route_decides_about_the_fields_of_its_policy() {
        RouteDecider decider = fixture.decider("match: all\nroutes: [{policy: all, permits: 2, fields: false},"
                + " {policy: user, by: {user: fixed(x)}}]");
        assertThat(((Admitted) decide(decider, request())).fields().get("RateLimit"))
                .contains("limit")
                .doesNotContain("all:");
        Map<String, String> denied = ((Denied) decide(decider, request())).fields();
        assertThat(denied).containsKeys("Retry-After", "X-RateLimit-Limit").containsEntry("X-RateLimit-Remaining", "1");
    }

    @Test
    void without_fields_only_retry_after_is_sent() {
        RouteDecider decider =
                fixture.decider("routes: [{policy: user, by: {user: fixed(x)}, fields: false, permits: 2}]");
        assertThat(((Admitted) decide(decider, request())).fields()).isEmpty();
        assertThat(((Denied) decide(decider, request())).fields()).containsOnlyKeys("Retry-After");
    }

    @Test
    void the_reset_can_be_a_time() {
        RouteDecider decider = fixture.decider("reset: epoch\nroutes: [{policy: user, by: {user: fixed(x)}}]");
        long before = System.currentTimeMillis() / 1000;
        assertThat(((Admitted) decide(decider, request())).fields().get("X-RateLimit-Reset"))
                .satisfies(reset -> assertThat(Long.parseLong(reset)).isBetween(before + 3599, before + 3660));
    }

    @Test
    void with_match_all_a_denied_request_keeps_no_permit_of_any_phase() {
        RouteDecider decider = fixture.decider(
                """
                match: all
                routes:
                  - { policy: ip, by: { ip: client-address }, before-authentication: true }
                  - { policy: user, by: { user: fixed(x) } }
                  - { policy: all, permits: 2, path: /twice, status: 503, refund-on: [404] }
                """);
        RouteDecision before = decider.decide(FakeWebRequest.get("/twice"), BEFORE, NotLimited.UNMATCHED);
        RouteDecision after = decider.decide(FakeWebRequest.get("/twice"), AFTER, before);
        assertThat(((Admitted) after).fields().get("RateLimit")).contains("ip:limit", "user:limit", "all:limit");
        assertThat(fixture.remaining("ip", "192.0.2.7")).isEqualTo(1);

        before = decider.decide(FakeWebRequest.get("/twice"), BEFORE, NotLimited.UNMATCHED);
        Denied denied = (Denied) decider.decide(FakeWebRequest.get("/twice"), AFTER, before);
        assertThat(denied.status()).isEqualTo(503);
        assertThat(denied.decisions()).hasSize(3).first().matches(decision -> decision.policyName().equals("all"));
        assertThat(fixture.remaining("ip", "192.0.2.7")).isEqualTo(1);
        assertThat(fixture.remaining("user", "x")).isEqualTo(1);

        // Only the route with the outcome is refunded.
        ((Admitted) after).refund(new Outcome(404, false)).toCompletableFuture().join();
        assertThat(fixture.remaining("user", "x")).isEqualTo(1);
        assertThat(decider.decide(FakeWebRequest.get("/twice"), AFTER, NotLimited.UNMATCHED))
                .isInstanceOf(Admitted.class);
    }

    @Test
    void with_match_first_a_request_that_the_first_phase_decided_is_not_decided_again() {
        RouteDecider decider =
                fixture.decider("routes: [{policy: all, before-authentication: true, path: /a}, {policy: all}]");
        RouteDecision before = decider.decide(FakeWebRequest.get("/a"), BEFORE, NotLimited.UNMATCHED);
        assertThat(before).isInstanceOf(Admitted.class);
        assertThat(decider.decide(FakeWebRequest.get("/a"), AFTER, before)).isInstanceOf(NotLimited.class);
        before = decider.decide(FakeWebRequest.get("/b"), BEFORE, NotLimited.UNMATCHED);
        assertThat(before.matched()).isFalse();
        assertThat(decider.decide(FakeWebRequest.get("/b"), AFTER, before)).isInstanceOf(Admitted.class);
    }

    @ParameterizedTest
    @CsvSource({
        "404, 404, false, true",
        "404, 403, false, false",
        "5xx, 503, false, true",
        "5xx, 499, false, false",
        "authenticated, 200, true, true",
        "authenticated, 399, true, true",
        "authenticated, 400, true, false",
        "'authenticated, 403', 403, true, true",
        "authenticated, 200, false, false"
    })
    void permits_are_refunded_by_the_outcome_once(String on, int status, boolean authenticated, boolean refunded) {
        RouteDecider decider =
                fixture.decider("routes: [{policy: user, by: {user: fixed(x)}, refund-on: [" + on + "]}]");
        Admitted admitted = (Admitted) decide(decider, request());
        decide(decider, request());
        assertThat(admitted.dependsOnOutcome()).isTrue();
        for (int i = 0; i < 2; i++) {
            admitted.refund(new Outcome(status, authenticated)).toCompletableFuture().join();
        }
        assertThat(fixture.remaining("user", "x")).isEqualTo(refunded ? 1 : 0);
    }

    @Test
    void replaced_policies_decide_with_their_new_rules_and_dimensions() {
        RouteDecider decider = fixture.decider("routes: [{policy: user, by: {user: fixed(x)}}]");
        assertThat(decide(decider, request())).isInstanceOf(Admitted.class);
        fixture.registry.replace(Policies.of(List.of(Policy.named("user")
                .rule("limit", Limit.slidingWindow(9, RouteFixture.HOUR), "user")
                .rule("tenant", Limit.slidingWindow(1, RouteFixture.HOUR), "tenant")
                .build())));
        assertThat(decide(decider, request())).isInstanceOf(Admitted.class);
        assertThat(((Denied) decide(decider, request())).problem().extensions())
                .isEqualTo(Map.of("policy", "user", "violated-policies", List.of("tenant")));
        fixture.registry.replace(Policies.of(List.of()));
        assertThat(decide(decider, request())).isEqualTo(new NotLimited(true));
    }

    @Test
    void a_banned_request_has_the_status_of_bans_and_hides_the_reason() {
        RouteDecider decider = fixture.decider("routes: [{policy: user, status: 503, by: {user: fixed(x)}}]");
        RouteDecider other = fixture.decider("ban-status: 404\nroutes: [{policy: user, by: {user: fixed(x)}}]");
        fixture.engine.bans().add(BanRequest.ban(BanTarget.user("x")).because("card testing"));
        Denied denied = (Denied) decide(decider, request());
        assertThat(denied.status()).isEqualTo(403);
        assertThat(denied.problem()).isEqualTo(Problem.of(403, "These requests are banned."));
        assertThat(denied.fields()).isEmpty();
        assertThat(((Denied) decide(other, request())).status()).isEqualTo(404);
        fixture.engine.bans().lift(BanTarget.user("x"));
        assertThat(decide(decider, request())).isInstanceOf(Admitted.class);
    }

    @Test
    void the_clients_address_is_banned_or_exempt_though_no_rule_counts_by_it() {
        RouteDecider decider = fixture.decider("routes: [{policy: user, by: {user: fixed(x)}}]");
        fixture.engine.bans().add(BanRequest.ban(BanTarget.ip("192.0.2.0/24")));
        assertThat(decide(decider, request().from("192.0.2.7"))).isInstanceOf(Denied.class);
        assertThat(decide(decider, request().from("198.51.100.7"))).isInstanceOf(Admitted.class);
        fixture.engine.bans().add(BanRequest.exemption(BanTarget.ip("192.0.2.7")));
        for (int i = 0; i < 5; i++) {
            assertThat(decide(decider, request().from("192.0.2.7"))).isInstanceOf(Admitted.class);
        }
        assertThat(fixture.remaining("user", "x")).isEqualTo(1);
    }

    @Test
    void a_banned_address_is_denied_also_if_all_rules_are_skipped() {
        RouteDecider decider =
                fixture.decider("routes: [{policy: user, absent: skip-rule, by: {user: header(X-User)}}]");
        fixture.engine.bans().add(BanRequest.ban(BanTarget.ip("192.0.2.7")));
        Denied denied = (Denied) decide(decider, request().from("192.0.2.7"));
        assertThat(denied.status()).isEqualTo(403);
        assertThat(denied.problem().detail()).isEqualTo("These requests are banned.");
        assertThat(decide(decider, request().from("192.0.2.8"))).isEqualTo(new NotLimited(true));
    }

    @Test
    void a_failing_engine_limits_nothing() {
        RouteDecider one = fixture.decider("routes: [{policy: all}]");
        RouteDecider two =
                fixture.decider("match: all\nroutes: [{policy: all}, {policy: user, by: {user: fixed(x)}}]");
        fixture.engine.close();
        for (RouteDecider decider : Arrays.asList(one, two)) {
            assertThat(decide(decider, request())).isEqualTo(new NotLimited(true));
            assertThat(decider.decideAsync(request(), AFTER, NotLimited.UNMATCHED)
                            .toCompletableFuture()
                            .join())
                    .isEqualTo(new NotLimited(true));
        }
    }
}
