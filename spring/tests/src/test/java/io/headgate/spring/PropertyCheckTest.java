package io.headgate.spring;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.headgate.config.ConfigException;
import io.headgate.spring.outgoing.OutgoingProperties;
import io.headgate.spring.queues.QueuesProperties;
import io.headgate.spring.web.WebProperties;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import org.assertj.core.api.InstanceOfAssertFactories;
import org.assertj.core.api.ListAssert;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.springframework.boot.SpringBootVersion;
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

    private final Path folder;

    PropertyCheckTest(@TempDir Path folder) {
        this.folder = folder;
    }

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
                  redis: { url: "redis://localhost", timeot: 1s }
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
                        "headgate.policies.one.rules.r.fixed-window.windw (5): unknown key; did you mean window?",
                        "headgate.redis.timeot (3): unknown key; did you mean timeout?",
                        "headgate.obsevations (2): unknown property; did you mean observations?",
                        "headgate.web.trusted-proxy (7): unknown property; did you mean trusted-proxies?",
                        "headgate.web.routes[0].polcy (9): unknown property; did you mean policy?",
                        "headgate.web.routes[1].pathh (10): unknown property; did you mean path?",
                        "headgate.web.routes[2].policy (11): must be a single value, was a mapping",
                        "headgate.outgoing.routes.host (14): is not in a list; begin each entry of"
                                + " headgate.outgoing.routes with a hyphen, or name it headgate.outgoing.routes[0]",
                        "headgate.queues.listener.concurency (16): unknown property; did you mean concurrency?",
                        "headgate.queues.declared.mails.max-jobbs (17): unknown property; did you mean max-jobs?",
                        "headgate.queues.declared.mails.durability.replica (17): unknown property; did you mean replicas?",
                        "headgate.queues.streams.orders.groups.billing.strt (18): unknown property; did you mean start?");
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

    @Test
    void all_malformed_values_are_listed_with_what_is_allowed() throws IOException {
        write(
                "application.yaml",
                """
                headgate:
                  engine: radis
                  observations.enabled: maybe
                  web:
                    match: every
                    reset: unix
                    ipv6-prefix: ""
                    routes:
                      - { path: /a, policy: one, absent: ignore, status: 42x }
                      - { by: user, policy: one }
                  outgoing:
                    routes: [{ max-wait: soon, permits: many, pause-on: "429, 5xx" }]
                  queues:
                    listener.lease: 30 seconds
                    declared.mails: { max-payload-size: big, durability.confirmed-by: disk }
                    streams: orders
                """);

        assertProblems()
                .map(PropertyCheckTest::withLine)
                .containsExactlyInAnyOrder(
                        "headgate.engine (2): must be auto, redis or memory, was radis",
                        "headgate.observations.enabled (3): must be true or false, was maybe",
                        "headgate.web.match (5): must be first or all, was every",
                        "headgate.web.reset (6): must be seconds or epoch, was unix",
                        "headgate.web.ipv6-prefix (7): must be a whole number of at most 2147483647, was empty",
                        "headgate.web.routes[0].absent (9): must be client-address, skip-rule or deny, was ignore",
                        "headgate.web.routes[0].status (9): must be a whole number of at most 2147483647, was 42x",
                        "headgate.web.routes[1].by (10): must be a mapping, was user",
                        "headgate.outgoing.routes[0].max-wait (12): must be a duration such as 500ms, 10s or 5m, was soon",
                        "headgate.outgoing.routes[0].permits (12): must be a whole number, was many",
                        "headgate.outgoing.routes[0].pause-on (12): must be a whole number of at most 2147483647, was 5xx",
                        "headgate.queues.listener.lease (14): must be a duration such as 500ms, 10s or 5m, was \"30 seconds\"",
                        "headgate.queues.declared.mails.max-payload-size (15): must be a size such as 500B or 64KB, was big",
                        "headgate.queues.declared.mails.durability.confirmed-by (15): must be replicas or append-only-file,"
                                + " was disk",
                        "headgate.queues.streams (16): must be a mapping, was orders");
    }

    @Test
    void an_empty_item_is_an_error() throws IOException {
        write("application.yaml", "headgate.outgoing.routes: [{ policy: none, pause-on: [429, \"\"] }]");

        assertProblems()
                .map(PropertyCheckTest::withLine)
                .containsExactly("headgate.outgoing.routes[0].pause-on[1] (1): must be a whole number of at most 2147483647,"
                        + " was empty");
    }

    @Test
    void an_empty_mapping_is_an_error_if_spring_boot_does_not_accept_it() throws IOException {
        write(
                "application.yaml",
                """
                headgate:
                  web.routes:
                    -
                    - { policy: none, by: }
                  queues: { declared: { mails: }, listener: }
                """);

        if (!String.valueOf(SpringBootVersion.getVersion()).startsWith("3.")) {
            start().close();
            return;
        }
        assertProblems()
                .map(problem -> withLine(problem).replaceAll("mapping with .*, was", "mapping with …, was"))
                .containsExactlyInAnyOrder(
                        "headgate.web.routes[0] (3): must be a mapping with …, was empty",
                        "headgate.web.routes[1].by (4): must be a mapping, was empty",
                        "headgate.queues.declared.mails (5): must be a mapping with …, was empty",
                        "headgate.queues.listener (5): must be a mapping with …, was empty");
    }

    @Test
    void further_problems_are_counted() throws IOException {
        write("application.yaml", "headgate.web.routes:" + "\n  - { policyy: one, status: x }".repeat(15));

        assertThatThrownBy(this::start)
                .asInstanceOf(InstanceOfAssertFactories.throwable(ConfigException.class))
                .hasMessageEndingWith("\nand 10 more")
                .satisfies(e -> assertThat(e.problems()).hasSize(20));
    }

    @Test
    void values_are_checked_in_the_source_that_decides_also_if_it_is_the_environment() throws IOException {
        write(
                "application.yaml",
                """
                headgate:
                  engine: radis
                  web: { match: "${no.such}", forwarded-field: x, ipv6-prefix: "${no.such:64}" }
                """);

        assertProblems(
                        Map.of("HEADGATE_ENGINE", "MEMORY", "HEADGATE_WEB_MATCH", "all", "HEADGATE_WEB_FORWARDED_FIELD", "y"))
                .map(PropertyCheckTest::withLine)
                .singleElement()
                .asString()
                .startsWith("headgate.web.forwarded-field (System Environment Property")
                .endsWith("): must be x-forwarded-for or forwarded, was y");
    }

    @Test
    void what_spring_boot_accepts_is_accepted() throws IOException {
        write(
                "application.yaml",
                """
                headgate:
                  web: { routes: [{ policy: none, status: 503.0, header: {}, by: {}, query: { a: b } }] }
                  outgoing: {}
                  queues: { declared: { mails: {}, letters: { max-jobs: 1e6 } }, streams.orders.groups.billing: {} }
                """);
        Files.writeString(folder.resolve("application-test.properties"), "headgate.outgoing.routes.0.policy=one\n");

        try (ConfigurableApplicationContext context =
                start(Map.of("HEADGATE", "/opt/headgate", "HEADGATE_WEB", "tcp://10.1.2.3:80"))) {
            assertThat(context.getBean(WebProperties.class).routes().get(0).status()).isEqualTo(503);
            assertThat(context.getBean(OutgoingProperties.class).routes()).hasSize(1);
            assertThat(context.getBean(QueuesProperties.class).declared()).containsKey("letters");
        }
    }

    @Test
    void a_switch_that_no_condition_understands_is_an_error() throws IOException {
        write("application.yaml", "x: y");

        assertProblems(Map.of("HEADGATE_ENABLED", "off")).containsExactly("headgate.enabled: must be true or false, was off");
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
