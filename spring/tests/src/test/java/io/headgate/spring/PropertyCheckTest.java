package io.headgate.spring;

import static org.assertj.core.api.Assertions.assertThat;

import io.headgate.config.ConfigException;
import io.headgate.spring.outgoing.OutgoingProperties;
import io.headgate.spring.queues.QueuesProperties;
import io.headgate.spring.web.WebProperties;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import org.assertj.core.api.ListAssert;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.springframework.boot.WebApplicationType;
import org.springframework.boot.autoconfigure.ImportAutoConfiguration;
import org.springframework.boot.builder.SpringApplicationBuilder;
import org.springframework.boot.context.properties.EnableConfigurationProperties;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Configuration;
import org.springframework.core.env.StandardEnvironment;
import org.springframework.core.env.SystemEnvironmentPropertySource;

/** Tests which properties of an application with files for profiles are accepted, and how problems with them are reported. */
class PropertyCheckTest {

    private static final String TWO_ROUTES =
            """
            headgate:
              web:
                routes:
                  - { path: [/a, /b], header: { X-A: "1" }, policy: one, by: { user: path } }
                  - { path: [/c, /d], header: { X-B: "2" }, policy: two, by: { user: [path, method] }, refund-on: [5xx] }
              outgoing:
                routes:
                  - { host: a.example, policy: one, by: { user: host } }
                  - { host: [b.example, c.example], policy: two, by: { user: path }, pause-on: [429, 503] }
            """;

    @TempDir
    Path folder;

    @Test
    void a_profile_with_fewer_routes_replaces_all_routes() throws IOException {
        write("application.yaml", TWO_ROUTES);
        write(
                "application-test.yaml",
                """
                headgate:
                  web.routes: [{ path: /all, policy: "" }]
                  outgoing.routes: [{ policy: "" }]
                """);

        try (ConfigurableApplicationContext context = start()) {
            WebProperties web = context.getBean(WebProperties.class);
            assertThat(web.routes()).singleElement().satisfies(route -> {
                assertThat(route.path()).containsExactly("/all");
                assertThat(route.by()).isEmpty();
                assertThat(route.header()).isEmpty();
            });
            assertThat(context.getBean(OutgoingProperties.class).routes())
                    .singleElement()
                    .satisfies(route -> assertThat(route.by()).isEmpty());
        }
    }

    @Test
    void a_profile_without_routes_removes_all_routes() throws IOException {
        write("application.yaml", TWO_ROUTES);
        write("application-test.yaml", "headgate: { web.routes: [], outgoing.routes: [] }");

        try (ConfigurableApplicationContext context = start()) {
            assertThat(context.getBean(WebProperties.class).routes()).isEmpty();
            assertThat(context.getBean(OutgoingProperties.class).routes()).isEmpty();
        }
    }

    @Test
    void an_error_in_the_routes_of_a_profile_is_not_hidden_by_those_of_the_base_file() throws IOException {
        write("application.yaml", TWO_ROUTES);
        write("application-test.yaml", "headgate.web.routes: [{ path: /all, polcy: one }]");

        assertProblems()
                .singleElement()
                .asString()
                .matches("headgate\\.web\\.routes\\[0]\\.polcy \\(.*application-test\\.yaml] - 1:\\d+\\): unknown property;"
                        + " did you mean policy\\? Allowed: absent, .*");
    }

    @Test
    void a_part_of_a_list_is_an_error() throws IOException {
        write("application.yaml", TWO_ROUTES);

        assertProblems("--headgate.web.routes[1].status=503")
                .containsExactly("headgate.web.routes[1] (\"headgate.web.routes[1].status\" from property source"
                        + " \"commandLineArgs\"): is set without headgate.web.routes[0]; a source that sets a part of a"
                        + " list must set all of it");
    }

    @Test
    void all_unknown_names_are_listed_with_their_places_and_suggestions() throws IOException {
        write(
                "application.yaml",
                """
                headgate:
                  obsevations.enabled: true
                  policies:
                    one: { rules: { r: { fixed-window: { permits: 1, windw: 1s } } } }
                  web:
                    trusted-proxy: 10.0.0.0/8
                    routes:
                      - { path: /a, polcy: one }
                      - { pathh: [/b] }
                      - { policy: { name: one }, path: /c }
                  outgoing:
                    routes:
                      host: a.example
                  queues:
                    listener: { concurency: 3 }
                    declared.mails: { max-jobbs: 5, durability: { replica: 2 } }
                    streams.orders.groups.billing.strt: now
                """);

        assertProblems()
                .map(PropertyCheckTest::withLine)
                .containsExactlyInAnyOrder(
                        "headgate.policies.one.rules.r.fixed-window.windw (4): unknown key; did you mean window?",
                        "headgate.obsevations (2): unknown property; did you mean observations?",
                        "headgate.web.trusted-proxy (6): unknown property; did you mean trusted-proxies?",
                        "headgate.web.routes[0].polcy (8): unknown property; did you mean policy?",
                        "headgate.web.routes[1].pathh (9): unknown property; did you mean path?",
                        "headgate.web.routes[2].policy (10): must be a single value, was a mapping",
                        "headgate.outgoing.routes.host (13): is not in a list; begin each entry of"
                                + " headgate.outgoing.routes with a hyphen",
                        "headgate.queues.listener.concurency (15): unknown property; did you mean concurrency?",
                        "headgate.queues.declared.mails.max-jobbs (16): unknown property; did you mean max-jobs?",
                        "headgate.queues.declared.mails.durability.replica (16): unknown property; did you mean replicas?",
                        "headgate.queues.streams.orders.groups.billing.strt (17): unknown property; did you mean start?");
    }

    @Test
    void names_in_any_spelling_are_known_and_unknown_variables_of_the_environment_are_ignored() throws IOException {
        write(
                "application.yaml",
                """
                headgate:
                  web:
                    trustedProxies: [10.0.0.0/8]
                    forwarded_field: FORWARDED
                    routes: [{ beforeAuthentication: true, policy: "", by: { "[a.b]": path } }]
                  queues.declared: { mails.maxJobs: 5, "[mails.eu]": { max-payload-size: 5KB } }
                """);

        try (ConfigurableApplicationContext context = start(Map.of(
                "HEADGATE_WEB_TRUSTED_PROXIES", "2",
                "HEADGATE_WEB_IPV6PREFIX", "56",
                "HEADGATE_WEB_PORT", "tcp://10.1.2.3:80",
                "HEADGATE_QUEUES_SERVICE_HOST", "10.1.2.3"))) {
            WebProperties web = context.getBean(WebProperties.class);
            assertThat(web.trustedProxies()).containsExactly("2");
            assertThat(web.ipv6Prefix()).isEqualTo(56);
            assertThat(web.routes().get(0).beforeAuthentication()).isTrue();
            assertThat(context.getBean(QueuesProperties.class).declared()).containsKeys("mails", "mails.eu");
        }
    }

    private static String withLine(String problem) {
        return problem.replaceAll("\\(.*application\\.yaml] - (\\d+):\\d+\\)", "($1)").replaceAll(" Allowed: .*", "");
    }

    private void write(String file, String yaml) throws IOException {
        Files.writeString(folder.resolve(file), yaml);
    }

    private ConfigurableApplicationContext start(String... arguments) {
        return start(Map.of(), arguments);
    }

    private ConfigurableApplicationContext start(Map<String, Object> variables, String... arguments) {
        StandardEnvironment environment = new StandardEnvironment();
        environment
                .getPropertySources()
                .replace(
                        StandardEnvironment.SYSTEM_ENVIRONMENT_PROPERTY_SOURCE_NAME,
                        new SystemEnvironmentPropertySource(
                                StandardEnvironment.SYSTEM_ENVIRONMENT_PROPERTY_SOURCE_NAME, variables));
        return new SpringApplicationBuilder(Application.class)
                .web(WebApplicationType.NONE)
                .environment(environment)
                .profiles("test")
                .properties("spring.config.location=" + folder.toUri(), "spring.main.banner-mode=off")
                .run(arguments);
    }

    private ListAssert<String> assertProblems(String... arguments) {
        return assertProblems(Map.of(), arguments);
    }

    /** Starts the application, which must fail, and returns the problems. */
    private ListAssert<String> assertProblems(Map<String, Object> variables, String... arguments) {
        try (ConfigurableApplicationContext context = start(variables, arguments)) {
            throw new AssertionError("started " + context);
        } catch (ConfigException e) {
            return assertThat(e.problems());
        }
    }

    @Configuration(proxyBeanMethods = false)
    @ImportAutoConfiguration(HeadgateAutoConfiguration.class)
    @EnableConfigurationProperties({WebProperties.class, OutgoingProperties.class, QueuesProperties.class})
    static class Application {}
}
