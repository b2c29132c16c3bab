package io.headgate.spring;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.headgate.config.PolicyRegistry;
import io.headgate.config.redis.RedisPolicyStore;
import io.headgate.config.sources.PolicyDocument;
import io.headgate.config.sources.PolicyUpdate;
import io.headgate.config.sources.PolicyVersion;
import io.headgate.limits.Limit;
import io.headgate.limits.Policy;
import io.headgate.redis.RedisSettings;
import io.headgate.spring.annotation.InFlight;
import io.headgate.spring.annotation.RateLimited;
import io.headgate.spring.queues.QueueListener;
import io.headgate.spring.web.LimitExceededException;
import io.headgate.spring.web.RunningApplication;
import io.headgate.testkit.Await;
import io.headgate.testkit.RedisServer;
import java.io.IOException;
import java.net.http.HttpResponse;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.UUID;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.springframework.boot.SpringBootConfiguration;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Import;
import org.springframework.security.config.annotation.web.builders.HttpSecurity;
import org.springframework.security.web.SecurityFilterChain;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.RestController;

/** Policies that change while the application runs. */
@Timeout(300)
class ChangedPoliciesIT {

    private static final Duration LONG = Duration.ofSeconds(60);

    private static final String YAML =
            """
            headgate:
              policies-from: "%s"
              web.routes: [{ path: "/api/**", policy: api, by: { user: "header(X-User)" } }]
              outgoing.routes: [{ host: partner.example, policy: partner }]
            """;

    private static final String PARTNER =
            "  partner: { rules: { all: { sliding-window: { permits: 5, window: 1h } } } }\n";

    private static final String ORDERS =
            "  orders: { rules: { all: { sliding-window: { permits: 5, window: 1h } } } }\n";

    @TempDir
    @SuppressWarnings("NullAway.Init") // set by JUnit
    private Path folder;

    private static String policies(String limit) {
        return "policies:\n  api: { rules: { per-user: { by: user, sliding-window: { permits: " + limit + ", window: 1h } } } }\n"
                + PARTNER;
    }

    private void replaceFile(String text) throws IOException {
        Path next = Files.writeString(folder.resolve("next"), text);
        Files.move(next, folder.resolve("limits.yaml"), StandardCopyOption.REPLACE_EXISTING, StandardCopyOption.ATOMIC_MOVE);
    }

    private static String remaining(RunningApplication application) {
        HttpResponse<String> response = application.send(application.to("/api/page").header("X-User", "alice"));
        return response.headers().firstValue("X-RateLimit-Remaining").orElse("none");
    }

    private static Object health(RunningApplication application, String member) {
        return Line.health(application.context).getOrDefault(member, "none");
    }

    private static void awaitRejection(RunningApplication application, String reason) {
        Await.until(
                "rejection",
                LONG,
                () -> String.valueOf(health(application, "rejectedPolicyVersion")).contains(reason));
    }

    @Test
    void a_file_is_watched_and_a_version_that_the_application_cannot_use_is_rejected() throws Exception {
        replaceFile(policies("2"));
        String yaml = YAML.formatted(folder.resolve("limits.yaml").toUri());
        try (RunningApplication application = RunningApplication.servlet(Application.class, yaml)) {
            assertThat(remaining(application)).isEqualTo("1");
            Object first = health(application, "policyVersion");
            assertThat(String.valueOf(first)).matches("[0-9a-f]{12}");

            replaceFile(policies("10"));
            Await.until("the new version", LONG, () -> !first.equals(health(application, "policyVersion")));
            assertThat(remaining(application)).as("one permit was used before").isEqualTo("8");
            Object second = health(application, "policyVersion");

            replaceFile(policies("many"));
            awaitRejection(application, "limits.yaml:2:");
            replaceFile("policies:\n" + PARTNER);
            awaitRejection(application, "headgate.web.routes[0].policy: is api, but there is no such policy");
            replaceFile(policies("10").replace(PARTNER, ""));
            awaitRejection(application, "headgate.outgoing.routes[0].policy: is partner, but there is no such policy");
            replaceFile(policies("10").replace("per-user", "per-ip: { by: ip, sliding-window: { permits: 5, window: 1h } }, per-user"));
            awaitRejection(application, "headgate.web.routes[0].by: needs a value of ip");
            replaceFile(policies("10") + "  fixed: { rules: { all: { sliding-window: { permits: 5, window: 1h } } } }\n");
            awaitRejection(application, "two policies are named fixed");
            assertThat(health(application, "policyVersion")).isEqualTo(second);
            assertThat(health(application, "status")).isEqualTo("UP");
            assertThat(remaining(application)).isEqualTo("7");

            replaceFile(policies("10"));
            Await.until("no rejection", LONG, () -> health(application, "rejectedPolicyVersion").equals("none"));
        }
        Await.until("the end of the watch", LONG, () -> Thread.getAllStackTraces().keySet().stream()
                .noneMatch(thread -> thread.getName().equals("headgate-policies")));
    }

    @Test
    void policies_in_the_redis_of_the_application_are_applied() {
        try (RedisServer redis = RedisServer.startOwn();
                RedisPolicyStore store = RedisPolicyStore.connect(RedisSettings.of(redis.url()))) {
            apply(store, "2");
            String yaml = YAML.formatted("redis") + "spring.data.redis.url: " + redis.url() + "\n";
            try (RunningApplication application = RunningApplication.servlet(Application.class, yaml)) {
                assertThat(remaining(application)).isEqualTo("1");
                String second = apply(store, "10");
                Await.until("the new version", LONG, () -> second.equals(health(application, "policyVersion")));
                assertThat(remaining(application)).isEqualTo("8");
                assertThat(application.context.getBean(PolicyRegistry.class).policies().names())
                        .contains("api", "partner", "fixed");
                Await.until("report", LONG, () -> store.instances().stream()
                        .anyMatch(instance -> instance.version().equals(second)));
            }
            // At once, or if Redis replied late to the close, when the report expires.
            Await.until("no report", LONG, () -> store.instances().isEmpty());
        }
    }

    private static String policiesOfMethods(String perUser, String held) {
        return "policies:\n  sms: { rules: { per-user: { by: user, sliding-window: { permits: " + perUser
                + ", window: 1h } } } }\n  exports: { rules: { all: { in-flight: { permits: " + held + " } } } }\n"
                + ORDERS;
    }

    @Test
    void a_version_that_a_method_or_a_listener_cannot_use_is_rejected() throws Exception {
        replaceFile(policiesOfMethods("3", "2"));
        String yaml =
                """
                headgate:
                  policies-from: "%s"
                  redis: { url: "%s", key-prefix: "c%s" }
                """
                        .formatted(
                                folder.resolve("limits.yaml").toUri(),
                                RedisServer.shared().url(),
                                UUID.randomUUID());
        try (RunningApplication application = RunningApplication.servlet(MethodApplication.class, yaml)) {
            Object first = health(application, "policyVersion");

            replaceFile(policiesOfMethods("3", "2").replace("sms:", "texts:"));
            awaitRejection(
                    application, "Messages.send(String): @RateLimited.policy: is sms, but there is no such policy");
            replaceFile(policiesOfMethods("3", "2").replace("exports:", "imports:"));
            awaitRejection(
                    application, "Messages.export(): @InFlight.policy: is exports, but there is no such policy");
            replaceFile(policiesOfMethods("3", "2").replace(ORDERS, ""));
            awaitRejection(
                    application, "Orders.handle(String): @RateLimited.policy: is orders, but there is no such policy");
            replaceFile(policiesOfMethods("2", "2"));
            awaitRejection(
                    application,
                    "Messages.send(String): @RateLimited.permits: must be at most 2, but was 3; rule per-user of policy sms has this limit");
            replaceFile(policiesOfMethods("3", "1"));
            awaitRejection(
                    application,
                    "Messages.export(): @InFlight.permits: must be at most 1, but was 2; rule all of policy exports has this limit");

            assertThat(health(application, "policyVersion")).isEqualTo(first);
            Messages messages = application.context.getBean(Messages.class);
            assertThat(messages.export()).isEqualTo("exported");
            assertThat(messages.send("alice")).isEqualTo("sent");
            assertThatThrownBy(() -> messages.send("alice")).isInstanceOf(LimitExceededException.class);

            replaceFile(policiesOfMethods("6", "2"));
            Await.until("the new version", LONG, () -> !first.equals(health(application, "policyVersion")));
            assertThat(health(application, "rejectedPolicyVersion")).isEqualTo("none");
            assertThat(messages.send("alice")).isEqualTo("sent");
        }
    }

    private static String apply(RedisPolicyStore store, String limit) {
        Optional<String> current = store.history(1).stream().map(PolicyVersion::version).findFirst();
        return store.apply(new PolicyUpdate(
                        List.of(new PolicyDocument.Text("limits.yaml", policies(limit))), current, "test", "test"))
                .current()
                .orElseThrow()
                .version();
    }

    @SpringBootConfiguration(proxyBeanMethods = false)
    @EnableAutoConfiguration
    @RestController
    static class Application {

        @GetMapping("/api/page")
        String page() {
            return "page";
        }

        @Bean
        Policy fixed() {
            return Policy.of("fixed", Limit.slidingWindow(5, Duration.ofHours(1)));
        }

        @Bean
        SecurityFilterChain all(HttpSecurity http) throws Exception {
            return http.authorizeHttpRequests(requests -> requests.anyRequest().permitAll()).build();
        }
    }

    @Configuration(proxyBeanMethods = false)
    @EnableAutoConfiguration
    @Import({Messages.class, Orders.class})
    static class MethodApplication {}

    static class Messages {

        @RateLimited(policy = "sms", by = "user: #user", permits = "3")
        String send(String user) {
            return "sent";
        }

        @InFlight(policy = "exports", permits = "2")
        String export() {
            return "exported";
        }
    }

    static class Orders {

        @QueueListener(queue = "orders", autoStartup = "false")
        @RateLimited(policy = "orders")
        void handle(String order) {}
    }
}
