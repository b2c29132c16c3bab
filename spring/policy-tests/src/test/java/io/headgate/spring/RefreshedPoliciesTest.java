package io.headgate.spring;

import static org.assertj.core.api.Assertions.assertThat;

import io.headgate.config.PolicyRegistry;
import io.headgate.limits.Limit;
import io.headgate.limits.Limiter;
import io.headgate.limits.Policy;
import java.time.Duration;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.springframework.boot.WebApplicationType;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.builder.SpringApplicationBuilder;
import org.springframework.cloud.context.environment.EnvironmentChangeEvent;
import org.springframework.cloud.context.refresh.ContextRefresher;
import org.springframework.cloud.context.scope.refresh.RefreshScopeRefreshedEvent;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.support.GenericApplicationContext;
import org.springframework.core.env.MapPropertySource;

/** Policies of properties, which Spring Cloud refreshes. */
class RefreshedPoliciesTest {

    private static final String LIMIT = "headgate.policies.api.rules.per-user.sliding-window.";
    private static final String PERMITS = LIMIT + "permits";

    private final Map<String, Object> properties = new ConcurrentHashMap<>(Map.of(
            PERMITS, "2",
            LIMIT + "window", "1h",
            "headgate.policies.api.rules.per-user.by", "user"));

    private ConfigurableApplicationContext context = new GenericApplicationContext();

    @BeforeEach
    void start() {
        context = new SpringApplicationBuilder(Application.class)
                .web(WebApplicationType.NONE)
                .properties("headgate.engine=memory", "spring.main.banner-mode=off")
                .initializers(created -> created.getEnvironment()
                        .getPropertySources()
                        .addFirst(new MapPropertySource("changing", properties)))
                .run();
    }

    @AfterEach
    void stop() {
        context.close();
    }

    private Limiter api() {
        return context.getBean(PolicyRegistry.class).limiter("api");
    }

    private void refresh() {
        context.publishEvent(new EnvironmentChangeEvent(context, Set.of(PERMITS)));
    }

    private String health(String member) {
        return String.valueOf(StoredPolicies.health(context, member));
    }

    @Test
    void a_refresh_applies_changed_policies_and_counts_continue() {
        String first = health("policyVersion");
        assertThat(first).matches("[0-9a-f]{12}");
        assertThat(api().tryAcquire("alice").remaining()).isEqualTo(1);
        properties.put(PERMITS, "10");
        assertThat(api().tryAcquire("bob").remaining()).as("before the refresh").isEqualTo(1);
        refresh();
        assertThat(api().tryAcquire("alice").remaining()).isEqualTo(8);
        assertThat(health("policyVersion")).isNotEqualTo(first);
    }

    @Test
    void a_refresh_of_the_scope_applies_them_too() {
        properties.put(PERMITS, "10");
        context.publishEvent(new RefreshScopeRefreshedEvent("x"));
        assertThat(api().tryAcquire("alice").remaining()).isEqualTo(9);
    }

    @Test
    void the_refresher_of_spring_cloud_applies_properties_that_it_loads_again() {
        System.setProperty(PERMITS, "7");
        try {
            properties.remove(PERMITS);
            context.getBean(ContextRefresher.class).refresh();
            assertThat(api().tryAcquire("alice").remaining()).isEqualTo(6);
        } finally {
            System.clearProperty(PERMITS);
        }
    }

    @Test
    void an_invalid_version_is_rejected_as_a_whole_with_its_properties_and_the_last_valid_one_stays() {
        String first = health("policyVersion");
        properties.put(PERMITS, "many");
        properties.put("headgate.policies.other.rules.all.fixed-window.permits", "5");
        properties.put("headgate.policies.other.rules.all.fixed-window.window", "1m");
        refresh();
        assertThat(health("rejectedPolicyVersion"))
                .contains("headgate.policies.api.rules.per-user.sliding-window.permits")
                .contains("must be a whole number such as 100 or 10_000, was many");
        assertThat(health("policyVersion")).isEqualTo(first);
        assertThat(api().tryAcquire("alice").remaining()).isEqualTo(1);

        assertThat(context.getBean(PolicyRegistry.class).policies().names()).containsExactlyInAnyOrder("fixed", "api");

        properties.put(PERMITS, "5");
        refresh();
        assertThat(health("rejectedPolicyVersion")).isEqualTo("none");
        assertThat(api().tryAcquire("alice").remaining()).isEqualTo(3);
        assertThat(context.getBean(PolicyRegistry.class).policies().names())
                .containsExactlyInAnyOrder("fixed", "api", "other");
    }

    @Test
    void a_version_without_policies_or_with_the_name_of_a_bean_is_rejected() {
        Map<String, Object> before = Map.copyOf(properties);
        properties.clear();
        refresh();
        assertThat(health("rejectedPolicyVersion")).contains("headgate.policies: there are none any more");
        properties.putAll(before);
        properties.put("headgate.policies.fixed.rules.all.fixed-window.permits", "5");
        properties.put("headgate.policies.fixed.rules.all.fixed-window.window", "1m");
        refresh();
        assertThat(health("rejectedPolicyVersion")).contains("two policies are named fixed");
        assertThat(api().tryAcquire("alice").remaining()).isEqualTo(1);
    }

    @Test
    void values_keep_their_characters() {
        String when = "headgate.policies.api.rules.per-user.overrides[0].when.plan";
        properties.put(when, "\"gold\" \\ {é} $${x} ${y");
        properties.put("headgate.policies.api.rules.per-user.overrides[0].sliding-window.permits", "50");
        properties.put("headgate.policies.api.rules.per-user.overrides[0].sliding-window.window", "1h");
        refresh();
        assertThat(health("rejectedPolicyVersion")).isEqualTo("none");
        assertThat(context.getBean(PolicyRegistry.class).policies().get("api").overrides().get(0).when())
                .containsEntry("plan", "\"gold\" \\ {é} $${x} ${y");
    }

    @Configuration(proxyBeanMethods = false)
    @EnableAutoConfiguration
    static class Application {

        @Bean
        Policy fixed() {
            return Policy.of("fixed", Limit.slidingWindow(5, Duration.ofHours(1)));
        }
    }
}
