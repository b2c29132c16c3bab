package io.headgate.spring.gateway;

import static org.assertj.core.api.Assertions.assertThat;

import io.headgate.config.sources.PolicyStatus;
import io.headgate.spring.internal.ActivePolicies;
import io.headgate.testkit.Await;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.time.Duration;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.springframework.boot.WebApplicationType;

/** Policies that change while a gateway runs. */
@Timeout(120)
class ChangedPoliciesTest {

    private static final Duration LONG = Duration.ofSeconds(30);

    @TempDir
    @SuppressWarnings("NullAway.Init") // set by JUnit
    private Path folder;

    private static String policy(String name, String permits) {
        return "policies: { " + name + ": { rules: { per-user: { by: user, sliding-window: { permits: " + permits
                + ", window: 1h } } } } }\n";
    }

    private void replaceFile(String text) throws IOException {
        Path next = Files.writeString(folder.resolve("next"), text);
        Files.move(
                next,
                folder.resolve("limits.yaml"),
                StandardCopyOption.REPLACE_EXISTING,
                StandardCopyOption.ATOMIC_MOVE);
    }

    private static PolicyStatus status(RunningGateway gateway) {
        return gateway.context.getBean(ActivePolicies.class).status().orElseThrow();
    }

    private static void awaitRejection(RunningGateway gateway, String reason) {
        Await.until("rejection", LONG, () -> status(gateway)
                .rejected()
                .filter(rejection -> rejection.reason().startsWith(reason))
                .isPresent());
    }

    @ParameterizedTest
    @EnumSource(names = {"REACTIVE", "SERVLET"})
    void a_version_that_a_filter_cannot_use_is_rejected(WebApplicationType type) throws IOException {
        boolean reactive = type == WebApplicationType.REACTIVE;
        replaceFile(policy("api", "4"));
        try (Upstream upstream = new Upstream();
                RunningGateway gateway = RunningGateway.start(
                        reactive ? StartFailureTest.Reactive.class : StartFailureTest.Mvc.class,
                        type,
                        """
                        headgate: { engine: memory, policies-from: "POLICIES" }
                        spring.cloud.gateway.server.SERVER.routes:
                          - id: a
                            uri: UPSTREAM
                            predicates: [ Path=/a ]
                            filters:
                              - { name: HeadgateRateLimit, args: { policy: api, permits: 2, by: { user: header(X-User) } } }
                        """
                                .replace("SERVER", reactive ? "webflux" : "webmvc")
                                .replace("UPSTREAM", upstream.uri())
                                .replace("POLICIES", folder.resolve("limits.yaml").toUri().toString()))) {
            assertThat(gateway.get("/a", "X-User", "alice").statusCode()).isEqualTo(200);
            String first = status(gateway).version();

            replaceFile(policy("other", "4"));
            awaitRejection(gateway, "route a: HeadgateRateLimit.policy: is api, but there is no such policy");
            replaceFile(policy("api", "1"));
            awaitRejection(gateway, "route a: HeadgateRateLimit.permits: must be at most 1, but was 2; rule per-user of policy api has this limit");
            assertThat(status(gateway).version()).isEqualTo(first);
            assertThat(gateway.get("/a", "X-User", "alice").statusCode()).isEqualTo(200);
            assertThat(gateway.get("/a", "X-User", "alice").statusCode()).isEqualTo(429);

            replaceFile(policy("api", "6"));
            Await.until("the new version", LONG, () -> !status(gateway).version().equals(first));
            assertThat(status(gateway).rejected()).isEmpty();
            assertThat(gateway.get("/a", "X-User", "alice").statusCode()).isEqualTo(200);
        }
    }
}
