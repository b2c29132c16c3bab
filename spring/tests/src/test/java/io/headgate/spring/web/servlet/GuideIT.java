package io.headgate.spring.web.servlet;

import static org.assertj.core.api.Assertions.assertThat;

import io.headgate.config.PolicyRegistry;
import io.headgate.limits.Attributes;
import io.headgate.limits.Limiter;
import io.headgate.limits.PermitRequest;
import io.headgate.spring.web.RunningApplication;
import io.headgate.testkit.RedisServer;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;
import org.springframework.boot.SpringBootConfiguration;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.json.JsonParserFactory;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Import;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.RestController;

/** Starts applications with the configuration of the guide, whose blocks are excerpts of these files (GuidesTest). */
class GuideIT {

    private static final String USER =
            """

            spring.security.user: { name: alice, password: secret }
            """;

    @Test
    void the_first_example_limits_users_and_addresses_in_redis() {
        try (RedisServer redis = RedisServer.startOwn();
                RunningApplication application = RunningApplication.servlet(
                        Application.class,
                        read("guide/first.yaml")
                                        .replace("host: redis.internal", "host: 127.0.0.1\n      port: " + redis.port())
                                + USER
                                + "headgate.engine: redis\n")) {
            HttpResponse<String> response = get(application);

            assertThat(response.statusCode()).isEqualTo(200);
            assertThat(response.headers().firstValue("RateLimit-Policy").orElseThrow())
                    .contains("\"per-user\";q=100", "\"per-ip\";q=50");
            spendPermitsOfAlice(application);
            response = get(application);
            assertThat(response.statusCode()).isEqualTo(503);
            assertThat(response.body()).isEqualTo("busy");
            assertThat(response.headers().firstValue("Retry-After")).isPresent();
        }
    }

    @Test
    void a_denied_request_is_answered_as_the_guide_shows() throws IOException {
        try (RunningApplication application = RunningApplication.servlet(
                PlainApplication.class, read("guide/first.yaml") + USER + "headgate.engine: memory\n")) {
            spendPermitsOfAlice(application);
            HttpResponse<String> response = get(application, "/api/orders");
            String[] shown = Files.readString(Path.of("../../docs/spring.md")).split("```http\n")[1].split("```")[0].split("\n\n");
            List<String> head = shown[0].lines().toList();
            assertThat(head.get(0)).isEqualTo("HTTP/1.1 " + response.statusCode());
            assertThat(head.subList(1, head.size())).allSatisfy(field -> {
                String name = field.substring(0, field.indexOf(':'));
                assertThat(withoutTimes(name + ": " + response.headers().firstValue(name).orElse("missing")))
                        .isEqualTo(withoutTimes(field));
            });
            assertThat(members(response.body())).isEqualTo(members(shown[1]));
        }
    }

    /** Not by requests: on a slow machine, a hundred logins take longer than the window. */
    private static void spendPermitsOfAlice(RunningApplication application) {
        Limiter limiter = application.context.getBean(PolicyRegistry.class).limiter("api");
        for (int i = 0; i < 100; i++) {
            limiter.tryAcquire(PermitRequest.of(Attributes.of(Map.of("user", "alice", "ip", "192.0.2." + i))));
        }
    }

    private static Map<String, Object> members(String json) {
        return JsonParserFactory.getJsonParser().parseMap(withoutTimes(json.replace("\n", "")));
    }

    /** Replaces the numbers of seconds, which depend on the time of the request. */
    private static String withoutTimes(String text) {
        return text.replaceAll("(Retry-After: |X-RateLimit-Reset: |t=|Try again in )\\d+", "$1N");
    }

    @Test
    void policies_are_in_a_file_of_their_own() {
        try (RunningApplication application =
                RunningApplication.servlet(Application.class, read("guide/policies-from.yaml"))) {
            assertThat(application.context.getBean(PolicyRegistry.class).limiter("api").peek("alice").remaining())
                    .isEqualTo(7);
        }
    }

    @Test
    void probes_of_actuator_are_exempt() {
        try (RunningApplication application =
                RunningApplication.servlet(Application.class, read("guide/actuator.yaml") + USER + "management.health.redis.enabled: false\n")) {
            for (int i = 0; i < 3; i++) {
                assertThat(get(application, "/actuator/health").statusCode()).isEqualTo(200);
            }
            assertThat(get(application).statusCode()).isEqualTo(200);
            assertThat(get(application).statusCode()).isEqualTo(503);
        }
    }

    @Test
    void a_bean_finds_the_tenant_and_an_expression_chooses_the_policy() {
        try (RunningApplication application =
                RunningApplication.servlet(TenantApplication.class, read("guide/plans.yaml") + USER)) {
            assertThat(withKey(application, "k1").statusCode()).isEqualTo(200);
            PolicyRegistry policies = application.context.getBean(PolicyRegistry.class);
            assertThat(policies.limiter("reads").peek("acme").remaining()).isEqualTo(999);
            assertThat(withKey(application, "k2").statusCode()).isEqualTo(400);
            assertThat(get(application).statusCode()).isEqualTo(400);
        }
    }

    private static HttpResponse<String> withKey(RunningApplication application, String key) {
        return application.send(application
                .to("/api/page")
                .header("X-Api-Key", key)
                .header("Authorization", RunningApplication.basic("alice", "secret")));
    }

    private static HttpResponse<String> get(RunningApplication application) {
        return get(application, "/api/page");
    }

    private static HttpResponse<String> get(RunningApplication application, String path) {
        return application.send(
                application.to(path).header("Authorization", RunningApplication.basic("alice", "secret")));
    }

    static String read(String resource) {
        try (InputStream in = GuideIT.class.getClassLoader().getResourceAsStream(resource)) {
            return new String(Objects.requireNonNull(in, resource).readAllBytes(), StandardCharsets.UTF_8);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    @SpringBootConfiguration(proxyBeanMethods = false)
    @EnableAutoConfiguration
    static class PlainApplication {}

    @SpringBootConfiguration(proxyBeanMethods = false)
    @EnableAutoConfiguration
    @Import({Denials.class, Page.class})
    static class Application {}

    @SpringBootConfiguration(proxyBeanMethods = false)
    @EnableAutoConfiguration
    @Import({Denials.class, Page.class, Tenants.class})
    static class TenantApplication {

        @Bean
        TenantDirectory directory() {
            return key -> CompletableFuture.supplyAsync(
                    () -> key.equals("k1") ? Optional.of("acme") : Optional.empty());
        }
    }

    @RestController
    static class Page {

        @GetMapping("/api/page")
        String page() {
            return "page";
        }
    }
}
