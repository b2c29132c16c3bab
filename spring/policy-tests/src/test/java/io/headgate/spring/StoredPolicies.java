package io.headgate.spring;

import static org.assertj.core.api.Assertions.assertThat;

import io.headgate.config.PolicyRegistry;
import io.headgate.config.sources.PolicyDocument;
import io.headgate.config.sources.PolicyInstance;
import io.headgate.config.sources.PolicyStore;
import io.headgate.config.sources.PolicyUpdate;
import io.headgate.config.sources.PolicyVersion;
import io.headgate.limits.Limiter;
import io.headgate.spring.internal.EngineHealth;
import io.headgate.testkit.Await;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.springframework.boot.WebApplicationType;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.builder.SpringApplicationBuilder;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Configuration;
import org.springframework.core.env.MapPropertySource;

/** What an application does with the policies of a store, whichever it is. */
final class StoredPolicies {

    private static final Duration LONG = Duration.ofSeconds(60);

    private StoredPolicies() {}

    static String yaml(String permits) {
        return "policies: { api: { rules: { per-user: { by: user, sliding-window: { permits: " + permits
                + ", window: 1h } } } } }";
    }

    static ConfigurableApplicationContext run(String... properties) {
        return run(Map.of(), properties);
    }

    /** Starts an application with further properties, which the test may change. */
    static ConfigurableApplicationContext run(Map<String, Object> changing, String... properties) {
        return new SpringApplicationBuilder(Application.class)
                .web(WebApplicationType.NONE)
                .properties("headgate.engine=memory", "spring.main.banner-mode=off")
                .properties(properties)
                .initializers(created -> created.getEnvironment()
                        .getPropertySources()
                        .addFirst(new MapPropertySource("changing", changing)))
                .run();
    }

    static Object health(ConfigurableApplicationContext context, String member) {
        return context.getBean(EngineHealth.class).details().getOrDefault(member, "none");
    }

    static String apply(PolicyStore store, String yaml) {
        Optional<String> current =
                store.history(1).stream().map(PolicyVersion::version).findFirst();
        return store.apply(new PolicyUpdate(
                        List.of(new PolicyDocument.Text("limits.yaml", yaml)), current, "test", "test"))
                .current()
                .orElseThrow()
                .version();
    }

    /** A version is applied, an invalid one is rejected and reported, and counts continue. */
    static void areApplied(PolicyStore store, String... properties) {
        apply(store, yaml("2"));
        try (ConfigurableApplicationContext context = run(properties)) {
            Limiter api = context.getBean(PolicyRegistry.class).limiter("api");
            assertThat(api.tryAcquire("alice").remaining()).isEqualTo(1);
            String second = apply(store, yaml("10"));
            Await.until("the new version", LONG, () -> second.equals(health(context, "policyVersion")));
            assertThat(api.tryAcquire("alice").remaining()).isEqualTo(8);

            apply(store, yaml("many"));
            Await.until(
                    "the rejection",
                    LONG,
                    () -> String.valueOf(health(context, "rejectedPolicyVersion"))
                            .contains("must be a whole number"));
            assertThat(health(context, "policyVersion")).isEqualTo(second);
            assertThat(api.tryAcquire("alice").remaining()).isEqualTo(7);
            Await.until("the report of the version", LONG, () -> store.instances().stream()
                    .map(PolicyInstance::version)
                    .anyMatch(second::equals));
        }
        Await.until("the end of the report", LONG, () -> store.instances().isEmpty());
    }

    @Configuration(proxyBeanMethods = false)
    @EnableAutoConfiguration
    static class Application {}
}
