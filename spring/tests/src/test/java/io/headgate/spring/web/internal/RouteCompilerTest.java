package io.headgate.spring.web.internal;

import static io.headgate.spring.web.internal.RouteFixture.HOUR;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.InstanceOfAssertFactories.type;

import io.headgate.config.ConfigException;
import io.headgate.config.Policies;
import io.headgate.limits.Attributes;
import io.headgate.limits.Limit;
import io.headgate.limits.Policy;
import io.headgate.limits.Rule;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import java.util.function.Predicate;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.beans.factory.support.RootBeanDefinition;

class RouteCompilerTest {

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
            path: /a                            | .policy: is required; give the name of a policy
            policy:                             | .policy: is empty; YAML reads #{…} without quotes as a comment, so write "#{…}" for an expression
            policy: all, when:                  | .when: is empty; YAML reads
            policy: all, skip: ''               | .skip: is empty; YAML reads
            policy: usr, by: {user: path}       | .policy: is usr, but there is no such policy; there are [user, ip, all, plans, both, shaped]
            policy: exports                     | .policy: is exports, which has in-flight limits; a route needs rate limits
            policy: shaped                      | .policy: is shaped, whose rule limit delays requests
            policy: user                        | .by: needs a value of user, by which policy user counts
            policy: all, by: {user: path}       | .by.user: is no dimension of policy all, which counts all requests together; remove the dimension, or add it to a rule of the policy
            policy: user, by: {user: name}      | .by.user: must be principal.name, client-address, header(…)
            policy: user, by: {user: header()}  | .by.user: must have a name in the parentheses, but was header()
            policy: user, by: {user: body(x)}   | .by.user: must be principal.name
            policy: user, by: {user: '@none'}   | .by.user: there is no bean none
            policy: user, by: {user: '@text'}   | .by.user: bean text must be a ValueResolver or an AsyncValueResolver, but is a class java.lang.String
            policy: user, by: {user: '#{a b}'}  | .by.user: is not an expression
            policy: user, by: {user: '#{a'}     | .by.user: must end with }
            policy: user, by: {user: '#{prinzipal.name}'} | .by.user: uses prinzipal, which the request does not have
            policy: user, by: {user: '#{path()}'} | .by.user: calls path(), which the request does not have
            policy: user, by: {user: '#{@none.of(principal)}'} | .by.user: uses @none, but there is no bean of that name
            policy: user, by: {user: path-variable(id)}, path: '/a/{x}' | .by.user: uses the variable id, which no pattern of the route has; they have [x]
            policy: user, by: {user: [path, principal.name]}, before-authentication: true | .by.user: is unknown before authentication
            policy: all, when: principal == null, before-authentication: true | .when: uses principal, which is unknown before authentication
            policy: all, when: (                | .when: is not an expression
            policy: all, skip: '@none'          | .skip: uses @none
            policy: all, when: '@texts'         | .when: bean texts must be a Predicate<RequestView>, but is a
            policy: all, permits: many          | .permits: must be a whole number, but was many
            policy: all, permits: 0             | .permits: must be at least 1, but was 0
            policy: all, permits: 3             | .permits: must be at most 2, but was 3; rule limit of policy all has this limit, and would deny all requests
            policy: both, by: {user: path, ip: path}, permits: 4 | .permits: must be at most 2, but was 4; rule per-user of policy both
            policy: plans, by: {user: path}, permits: 5 | .permits: must be at most 4, but was 5; rule r of policy plans
            policy: all, method: [GTE, get]     | .method: must be of [GET, HEAD, POST, PUT, PATCH, DELETE, OPTIONS, TRACE], but was GTE
            policy: all, status: 200            | .status: must be from 400 to 599, but was 200
            policy: all, refund-on: [6xx]       | .refund-on: must be a status from 100 to 599, a class such as 5xx, or authenticated, but was 6xx
            policy: '#{null}', by: {'[a b]': path} | .by.a b: name of an attribute
            policy: all, path: api              | .path: must begin with /, but was api
            policy: all, path: '/{a'            | .path:
            """)
    void an_error_of_a_route_names_its_property(String route, String problem) {
        fixture.beans.registerSingleton("text", "text");
        fixture.beans.registerBeanDefinition("texts", new RootBeanDefinition(Texts.class));
        assertThatThrownBy(() -> fixture.routes("routes: [{" + route + "}]"))
                .asInstanceOf(type(ConfigException.class))
                .satisfies(e -> assertThat(e.problems()).singleElement().asString().startsWith("headgate.web.routes[0]" + problem));
    }

    static class Texts implements Predicate<String> {

        @Override
        public boolean test(String text) {
            return true;
        }
    }

    @Test
    void without_policies_an_error_says_where_to_declare_one() {
        fixture.registry.replace(Policies.of(List.of(), List.of()));
        assertThatThrownBy(() -> fixture.routes("routes: [{policy: all}]"))
                .hasMessage("headgate.web.routes[0].policy: is all, but there is no policy with rate limits;"
                        + " declare one below headgate.policies");
    }

    @ParameterizedTest
    @ValueSource(strings = {"none", "'#{null}'"})
    void a_policy_must_not_be_named_none(String policy) {
        fixture.registry.replace(Policies.of(List.of(Policy.of("none", Limit.slidingWindow(2, HOUR)))));
        assertThatThrownBy(() -> fixture.routes("routes: [{policy: " + policy + "}]"))
                .isInstanceOf(ConfigException.class)
                .hasMessageContaining("headgate.web.routes[0].policy: ")
                .hasMessageEndingWith("a policy has this name, too; give the policy another name");
    }

    @Test
    void all_problems_of_all_routes_are_listed() {
        assertThatThrownBy(() -> fixture.routes(
                        """
                        trusted-proxies: [office]
                        ipv6-prefix: 129
                        ban-status: 200
                        routes:
                          - { policy: usr, status: 600 }
                          - { policy: user, by: { user: "@none" } }
                        """))
                .isInstanceOf(ConfigException.class)
                .hasMessageContainingAll(
                        "headgate.web.trusted-proxies: ",
                        "headgate.web.ipv6-prefix: ",
                        "headgate.web.ban-status: must be from 400 to 599, but was 200",
                        "headgate.web.routes[0].policy: ",
                        "headgate.web.routes[0].status: ",
                        "headgate.web.routes[1].by.user: ");
    }

    @Test
    void at_most_20_problems_are_listed() {
        assertThatThrownBy(() -> fixture.routes("routes: [" + "{policy: usr},".repeat(23) + "]"))
                .hasMessageEndingWith("\nand 3 more")
                .asInstanceOf(type(ConfigException.class))
                .satisfies(e -> assertThat(e.problems()).hasSize(20));
    }

    @Test
    void with_match_all_a_policy_belongs_to_one_route() {
        String routes = "routes: [{policy: all, path: /a, before-authentication: true}, {policy: all, path: /b}]";
        assertThatThrownBy(() -> fixture.routes("match: all\n" + routes))
                .hasMessageStartingWith("headgate.web.routes[1].policy: is all, as in headgate.web.routes[0]; ");
        assertThat(fixture.routes(routes).has(Phase.AFTER_AUTHENTICATION)).isTrue();
    }

    @Test
    void with_match_first_routes_before_authentication_come_first() {
        String routes = "routes: [{policy: all}, {policy: ip, by: {ip: client-address}, before-authentication: true}]";
        assertThatThrownBy(() -> fixture.routes(routes))
                .hasMessage("headgate.web.routes[1].before-authentication: must not follow headgate.web.routes[0],"
                        + " which decides later; move the route up, or use match: all");
        assertThat(fixture.routes("match: all\n" + routes).has(Phase.BEFORE_AUTHENTICATION))
                .isTrue();
    }

    @Test
    void with_match_all_the_policies_of_a_phase_have_at_most_16_rules() {
        Policy.Builder many = Policy.named("many");
        for (int i = 0; i < 16; i++) {
            many.rule("rule-" + i, Limit.slidingWindow(2, HOUR));
        }
        fixture.registry.replace(Policies.of(List.of(many.build(), Policy.of("one", Limit.slidingWindow(1, HOUR)))));
        String routes = "{policy: many}, {policy: one";
        assertThatThrownBy(() -> fixture.routes("match: all\nroutes: [" + routes + "}]"))
                .hasMessageStartingWith("headgate.web.match: is all, so the policies must have at most 16 rules");
        assertThat(fixture.routes("match: all\nroutes: [" + routes + ", before-authentication: true}]")
                        .has(Phase.BEFORE_AUTHENTICATION))
                .isTrue();
    }

    @Test
    void attributes_of_overrides_may_have_values() {
        assertThat(fixture.routes("routes: [{policy: plans, by: {user: path, plan: header(Plan)}}]")
                        .has(Phase.AFTER_AUTHENTICATION))
                .isTrue();
    }

    @Test
    void permits_may_exceed_a_limit_that_does_not_deny_them_or_denies_everything() {
        fixture.registry.replace(Policies.of(List.of(
                Policy.of("closed", Limit.slidingWindow(0, HOUR)),
                Policy.named("mixed")
                        .rule(Rule.of("shadow", Limit.slidingWindow(1, HOUR)).inShadow())
                        .rule("enforced", Limit.slidingWindow(5, HOUR))
                        .override("enforced", Attributes.of("plan", "gold"), Limit.slidingWindow(9, HOUR))
                        .build())));
        assertThat(fixture.routes("routes: [{policy: mixed, permits: 9}, {policy: closed, permits: 3},"
                                + " {policy: mixed, permits: '#{10}'}, {policy: \"#{'mixed'}\", permits: 10}]")
                        .has(Phase.AFTER_AUTHENTICATION))
                .isTrue();
    }

    @Test
    void names_of_other_objects_than_the_request_are_not_checked() {
        fixture.beans.registerSingleton("text", "text");
        String expression = "{pathVariables[id], principal.name.substring(0), @text.concat(principal.name),"
                + " request.headers('A').![length()], {a: 1}, T(java.time.Year).now(), true ? null : clientAddress}";
        assertThat(fixture.routes("routes: [{policy: all, when: \"" + expression + "\"}]")
                        .has(Phase.AFTER_AUTHENTICATION))
                .isTrue();
    }

    @Test
    void the_routes_know_what_an_application_must_register() {
        Routes routes = fixture.routes("routes: [{policy: all, before-authentication: true, refund-on: [5xx]}]");
        assertThat(routes.has(Phase.BEFORE_AUTHENTICATION)).isTrue();
        assertThat(routes.has(Phase.AFTER_AUTHENTICATION)).isFalse();
        assertThat(routes.refund()).isTrue();
        assertThat(routes.refundAuthenticated()).isFalse();
        assertThat(fixture.routes("routes: [{policy: all, refund-on: [authenticated]}]")
                        .refundAuthenticated())
                .isTrue();
        assertThat(fixture.routes("{}").refund()).isFalse();
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            textBlock =
                    """
            policy: user, by: {user: path}                              | false
            policy: user, by: {user: '#{clientAddress}'}                | false
            policy: user, by: {user: [path, principal.name]}            | true
            policy: user, by: {user: '#{pathVariables[id] + principal}'} | true
            policy: user, by: {user: '#{request.principal.name}'}       | true
            policy: all, when: principal != null                        | true
            policy: all, skip: principal == null                        | true
            """)
    void the_routes_know_whether_they_need_the_principal(String route, boolean needed) {
        assertThat(fixture.routes("routes: [{" + route + "}]").usesPrincipal()).isEqualTo(needed);
    }

    @Test
    void variables_are_found_in_all_forms_of_a_pattern() {
        assertThat(RoutePaths.variables(List.of("/a/{b}/{c:[0-9]{1,3}}/{*d}", "/{b}")))
                .containsExactly("b", "c", "d");
    }
}
