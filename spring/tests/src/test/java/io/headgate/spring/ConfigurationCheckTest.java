package io.headgate.spring;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.headgate.config.ConfigException;
import io.headgate.config.PolicyRegistry;
import io.headgate.http.attributes.ValueResolver;
import io.headgate.limits.Limit;
import io.headgate.limits.LimitEngine;
import io.headgate.limits.Policy;
import io.headgate.spring.annotation.InFlight;
import io.headgate.spring.annotation.RateLimited;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.SocketTimeoutException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.springframework.boot.WebApplicationType;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.builder.SpringApplicationBuilder;
import org.springframework.boot.env.YamlPropertySourceLoader;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Import;
import org.springframework.core.io.ByteArrayResource;
import org.springframework.web.servlet.config.annotation.WebMvcConfigurer;

/** Tests that routes and queues are checked before an application connects to Redis. */
@ExtendWith(OutputCaptureExtension.class)
class ConfigurationCheckTest {

    private static final String WRONG =
            """
            headgate:
              web:
                match: all
                routes:
                  - { path: /a, policy: one }
                  - path: /b
                    policy: oen
                  - path: /c
                    status: 503
                  - { path: /d, policy: one }
                  - { path: /e, policy: one, by: { user: "@none" } }
              outgoing.routes: [{ host: "a.example:80", policy: "" }]
              queues.declared.mails: { shards: 65, durability: { replicas: 2 } }
            """;

    private static final String POLICY = "\nheadgate.policies.one.rules.r.fixed-window: { permits: 1, window: 1s }\n";

    @ParameterizedTest
    @EnumSource(mode = EnumSource.Mode.EXCLUDE, names = "NONE")
    void all_problems_are_listed_with_their_places_and_nothing_connects(WebApplicationType type, CapturedOutput output)
            throws IOException {
        try (ServerSocket redis = new ServerSocket(0, 50, InetAddress.getLoopbackAddress())) {
            assertThatThrownBy(() -> start(
                            type,
                            Application.class,
                            WRONG + POLICY,
                            "--spring.data.redis.url=redis://localhost:" + redis.getLocalPort()))
                    .hasRootCauseInstanceOf(ConfigException.class);

            redis.setSoTimeout(1);
            assertThatThrownBy(redis::accept).isInstanceOf(SocketTimeoutException.class);
        }
        assertThat(output).doesNotContain("Limits are counted in", "appears to have started a thread");
        assertThat(output.toString().replaceAll("Byte array resource \\[test] - (\\d+):\\d+", "$1"))
                .contains(
                        "    headgate.web.routes[1].policy (7): is oen, but there is no such policy; there are [one]",
                        "    headgate.web.routes[2].policy (8): is required; give the name of a policy, or",
                        "    headgate.web.routes[3].policy (10): is one, as in headgate.web.routes[0] (5); with match: all,",
                        "    headgate.web.routes[4].by.user (11): there is no bean none",
                        "    headgate.outgoing.routes[0].host (12): must be a host such as",
                        "    headgate.queues.declared.mails.shards (13): ",
                        "    headgate.queues.declared.mails.durability (13): needs confirmed-by: replicas or append-only-file");
    }

    @Test
    void methods_are_checked_before_the_engine_connects_also_those_of_beans_that_need_it(CapturedOutput output)
            throws IOException {
        try (ServerSocket redis = new ServerSocket(0, 50, InetAddress.getLoopbackAddress())) {
            assertThatThrownBy(() -> start(
                            WebApplicationType.NONE,
                            LimitedApplication.class,
                            POLICY,
                            "--spring.data.redis.url=redis://localhost:" + redis.getLocalPort()))
                    .hasRootCauseInstanceOf(ConfigException.class);

            redis.setSoTimeout(1);
            assertThatThrownBy(redis::accept).isInstanceOf(SocketTimeoutException.class);
        }
        assertThat(output)
                .doesNotContain("Limits are counted in")
                .contains(
                        "LimitedApplication.rate(): @RateLimited.policy: is oen, but there is no such policy",
                        "OfEngine.hold(): @InFlight.policy: is one, which has rate limits");
    }

    @Configuration(proxyBeanMethods = false)
    @EnableAutoConfiguration
    static class LimitedApplication {

        @RateLimited(policy = "oen")
        void rate() {}

        @Bean
        OfEngine ofEngine(LimitEngine engine) {
            return new OfEngine(engine);
        }
    }

    static class OfEngine {

        OfEngine(LimitEngine engine) {
            assertThat(engine).isNotNull();
        }

        @InFlight(policy = "one")
        void hold() {}
    }

    @Test
    void problems_of_all_checks_are_counted(CapturedOutput output) {
        String wrong = "\n  - { status: 42 }".repeat(23);
        assertThatThrownBy(() -> start(
                        WebApplicationType.SERVLET,
                        Application.class,
                        "headgate.web.routes:" + wrong + "\nheadgate.outgoing.routes:" + wrong))
                .hasRootCauseInstanceOf(ConfigException.class);

        // Each route has a wrong status and no policy.
        assertThat(output).contains("\n    and 72 more\n");
    }

    @Test
    void the_place_is_that_of_the_source_whose_list_is_used(CapturedOutput output) {
        assertThatThrownBy(() -> start(
                        WebApplicationType.SERVLET,
                        Application.class,
                        WRONG + POLICY,
                        "--headgate.web.routes[0].status=503"))
                .hasRootCauseInstanceOf(ConfigException.class);

        assertThat(output)
                .contains("headgate.web.routes[0].policy (\"headgate.web.routes[0].status\" from property source"
                        + " \"commandLineArgs\"): is required")
                .doesNotContain("headgate.web.routes[1]");
    }

    @Test
    void beans_that_the_routes_need_may_need_the_engine() {
        try (ConfigurableApplicationContext context = start(
                WebApplicationType.SERVLET,
                CircularApplication.class,
                "headgate.web.routes: [{ policy: two, by: { user: \"@tenants\" } }]" + POLICY)) {
            assertThat(context.getBean(PolicyRegistry.class).policies().names()).containsExactly("one", "two");
        }
    }

    private static ConfigurableApplicationContext start(
            WebApplicationType type, Class<?> application, String yaml, String... arguments) {
        return new SpringApplicationBuilder(application)
                .web(type)
                .properties("server.port=0", "spring.main.banner-mode=off")
                .initializers(context -> {
                    try {
                        new YamlPropertySourceLoader()
                                .load("test", new ByteArrayResource(yaml.getBytes(StandardCharsets.UTF_8), "test"))
                                .forEach(context.getEnvironment().getPropertySources()::addLast);
                    } catch (IOException e) {
                        throw new IllegalStateException(e);
                    }
                })
                .run(arguments);
    }

    @Configuration(proxyBeanMethods = false)
    @EnableAutoConfiguration
    static class Application {}

    @Configuration(proxyBeanMethods = false)
    @EnableAutoConfiguration
    @Import({PolicyOfEngine.class, Mvc.class})
    static class CircularApplication {}

    @Configuration(proxyBeanMethods = false)
    static class PolicyOfEngine {

        PolicyOfEngine(LimitEngine engine) {
            assertThat(engine).isNotNull();
        }

        @Bean
        Policy two() {
            return Policy.of("two", Limit.slidingWindow(2, Duration.ofHours(1)), "user");
        }
    }

    @Configuration(proxyBeanMethods = false)
    static class Mvc implements WebMvcConfigurer {

        Mvc(PolicyRegistry registry) {
            assertThat(registry.policies().names()).contains("two");
        }

        @Bean
        ValueResolver tenants(PolicyRegistry registry) {
            return ValueResolver.fixed(String.join("-", registry.policies().names()));
        }
    }
}
