package io.headgate.spring.outgoing;

import static org.assertj.core.api.Assertions.assertThat;

import io.headgate.config.ConfigException;
import io.headgate.spring.HeadgateAutoConfiguration;
import java.io.IOException;
import java.net.URI;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.env.YamlPropertySourceLoader;
import org.springframework.boot.test.context.FilteredClassLoader;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.context.annotation.Configuration;
import org.springframework.core.env.PropertySource;
import org.springframework.core.io.ClassPathResource;
import org.springframework.http.HttpHeaders;
import org.springframework.web.client.RestClient;

/** Tests which settings of {@code headgate.outgoing} are accepted, and which calls a route matches. */
class OutgoingSettingsTest {

    private static final String ROUTE = "headgate.outgoing.routes[0].";

    private final ApplicationContextRunner application = new ApplicationContextRunner()
            .withConfiguration(
                    AutoConfigurations.of(HeadgateAutoConfiguration.class, OutgoingAutoConfiguration.class))
            .withPropertyValues(
                    "headgate.policies.partners.rules.calls.by=partner",
                    "headgate.policies.partners.rules.calls.token-bucket.capacity=10",
                    "headgate.policies.partners.rules.calls.token-bucket.refill=10 per 1s",
                    "headgate.policies.held.rules.calls.in-flight.permits=1");

    private static OutgoingCall call(String method, String url) {
        return new OutgoingCall(method, URI.create(url), new HttpHeaders());
    }

    @ParameterizedTest
    @ValueSource(strings = {"guide/outgoing.yaml", "guide/outgoing-in-flight.yaml"})
    void the_properties_of_the_guide_limit_all_hosts_of_the_partner(String guide) throws IOException {
        List<PropertySource<?>> yaml = new YamlPropertySourceLoader().load("guide", new ClassPathResource(guide));
        new ApplicationContextRunner()
                .withConfiguration(
                        AutoConfigurations.of(HeadgateAutoConfiguration.class, OutgoingAutoConfiguration.class))
                .withInitializer(context -> yaml.forEach(
                        context.getEnvironment().getPropertySources()::addFirst))
                .run(context -> {
                    OutgoingLimits limits = context.getBean(OutgoingLimits.class);
                    assertThat(limits.route(call("GET", "https://API.Partner.example:8443/v1"))).isPresent();
                    assertThat(limits.route(call("GET", "https://partner.example/v1"))).isEmpty();
                    assertThat(limits.route(call("GET", "https://evil-partner.example/v1"))).isEmpty();
                });
    }

    @Test
    void the_first_route_that_matches_host_path_and_method_decides() {
        application
                .withPropertyValues(
                        ROUTE + "path[0]=/status",
                        ROUTE + "path[1]=/health/**",
                        ROUTE + "policy=none",
                        "headgate.outgoing.routes[1].host[0]=a.example",
                        "headgate.outgoing.routes[1].host[1]=[::1]",
                        "headgate.outgoing.routes[1].method=post",
                        "headgate.outgoing.routes[1].policy=partners",
                        "headgate.outgoing.routes[1].by.partner=header(X-Partner)")
                .run(context -> {
                    OutgoingLimits limits = context.getBean(OutgoingLimits.class);
                    assertThat(limits.route(call("POST", "http://a.example"))).isPresent();
                    assertThat(limits.route(call("POST", "http://[::1]:80/x?y"))).isPresent();
                    assertThat(limits.route(call("POST", "http://a.example/health/a/b"))).isEmpty();
                    assertThat(limits.route(call("GET", "http://a.example/x"))).isEmpty();
                    assertThat(limits.route(call("POST", "http://b.example/x"))).isEmpty();
                });
    }

    @Test
    void names_of_hosts_that_java_does_not_accept_and_absolute_ones_are_hosts() {
        assertThat(call("GET", "http://user@My_Service:8080/x").host()).isEqualTo("my_service");
        assertThat(call("GET", "http://a.example./x").host()).isEqualTo("a.example");
        assertThat(call("GET", "http://[::1]:8080/x").host()).isEqualTo("[::1]");
        assertThat(call("GET", "/x").host()).isEmpty();
    }

    @Test
    void without_routes_clients_remain_as_they_are() {
        new ApplicationContextRunner()
                .withUserConfiguration(Application.class)
                .run(context -> context.getBean(RestClient.Builder.class)
                        .requestInterceptors(interceptors -> assertThat(interceptors).isEmpty()));
    }

    @Configuration(proxyBeanMethods = false)
    @EnableAutoConfiguration
    static class Application {}

    @ParameterizedTest
    @CsvSource(delimiter = '|', quoteCharacter = '`', textBlock = """
            policy=unknown       | .policy: is unknown, but there is no such policy; there are [partners]
            policy=              | .policy: is empty; YAML reads #{…} without quotes as a comment
            by.partner=hots      | .by.partner: must be host, path, method, header(…), fixed(…) or #{expression}, but was hots
            by.partner=#{hots}   | .by.partner: uses hots, which the call does not have; it has [call, host, method, path, uri, headers], and beans as @name
            by.user=host         | .by.user: is no dimension of policy partners, which counts by [partner]
            permits=0            | .permits: must be from 1 to 2147483647, but was 0
            permits=11           | .permits: must be at most 10, but was 11; rule calls of policy partners has this limit, and would deny all requests
            max-wait=-1s         | .max-wait: must be 0 to 366 days, but was PT-1S
            max-waiting=-1       | .max-waiting: must be from 0 to 100000, but was -1
            max-pause=2d         | .max-pause: must be 1 ms to 1 day, but was PT48H
            status=200           | .status: must be from 400 to 599, but was 200
            pause-on=429         | .pause-on: needs a policy that can be paused; set headgate.policies.partners.pausable to true
            pause-by=user        | .pause-by: has user, which is no dimension of policy partners, which counts by [partner]
            host=a.example:80    | .host: must be a host such as api.example.com or *.example.com, without a port, but was a.example:80
            path=accounts        | .path: must begin with /, but was accounts
            path=/a/{b           | .path: is no pattern
            """)
    void a_wrong_setting_fails_the_start_and_is_named(String setting, String problem) {
        application
                .withPropertyValues(ROUTE + "policy=partners", ROUTE + "by.partner=host")
                .withPropertyValues(ROUTE + setting)
                .run(context -> assertThat(context.getStartupFailure())
                        .rootCause()
                        .isInstanceOf(ConfigException.class)
                        .hasMessageContaining("headgate.outgoing.routes[0]" + problem));
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', textBlock = """
            permits=101          | .permits: must be from 1 to 100, but was 101
            pause-on=429         | .pause-on: needs a policy of rate limits, but held has in-flight limits, which cannot be paused
            pause-by=host        | .pause-by: needs a policy of rate limits, but held has in-flight limits, which cannot be paused
            by.partner=host      | .by.partner: is no dimension of policy held, which counts all requests together
            """)
    void a_wrong_setting_of_a_route_with_in_flight_limits_fails_the_start(String setting, String problem) {
        application
                .withPropertyValues(ROUTE + "policy=held", ROUTE + setting)
                .run(context -> assertThat(context.getStartupFailure())
                        .rootCause()
                        .isInstanceOf(ConfigException.class)
                        .hasMessageContaining("headgate.outgoing.routes[0]" + problem));
    }

    @Test
    void a_missing_policy_and_unknown_settings_fail_the_start() {
        application
                .withPropertyValues(ROUTE + "host=a.example")
                .run(context -> assertThat(context.getStartupFailure())
                        .rootCause()
                        .hasMessageContaining(
                                "headgate.outgoing.routes[0].policy: is required; give the name of a policy"));
        application
                .withPropertyValues(ROUTE + "polcy=partners")
                .run(context -> assertThat(context.getStartupFailure()).isNotNull());
    }

    @Test
    void an_application_without_webflux_has_no_reactive_filter() {
        application
                .withClassLoader(new FilteredClassLoader("org.springframework.web.reactive"))
                .run(context -> assertThat(context).hasNotFailed().doesNotHaveBean("headgateOutgoingFilter"));
    }
}
