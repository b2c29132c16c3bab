package io.headgate.spring;

import static org.assertj.core.api.Assertions.assertThat;

import io.headgate.spring.internal.DecisionObserver;
import io.headgate.spring.internal.RedisDetails;
import io.headgate.spring.operations.HeadgateEndpoint;
import io.headgate.config.PolicyRegistry;
import io.headgate.limits.LimitEngine;
import org.junit.jupiter.api.Test;
import org.springframework.boot.WebApplicationType;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.builder.SpringApplicationBuilder;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Configuration;

/** Tests an application with all auto-configurations, those of the starter for the other line of Spring Boot included. */
class StarterTest {

    @Test
    void the_starter_configures_an_application_of_this_line() {
        try (ConfigurableApplicationContext context = new SpringApplicationBuilder(Application.class)
                .web(WebApplicationType.NONE)
                .run(
                        "--headgate.policies.api.rules.all.by=user",
                        "--headgate.policies.api.rules.all.fixed-window.permits=1",
                        "--headgate.policies.api.rules.all.fixed-window.window=1h")) {
            assertThat(context.getBean(PolicyRegistry.class).limiter("api").tryAcquire("alice").allowed())
                    .isTrue();
            assertThat(context.getBeansOfType(LimitEngine.class)).hasSize(1);
            assertThat(Line.health(context)).containsEntry("engine", "memory");
            assertThat(context.getBeansOfType(RedisDetails.class)).hasSize(1);
            assertThat(context.getBeansOfType(HeadgateEndpoint.class))
                    .as("decisions are counted only if the endpoint is exposed")
                    .isEmpty();
            assertThat(context.getBeansOfType(DecisionObserver.class))
                    .as("decisions are observed only if the application wants it")
                    .isEmpty();
        }
    }

    @Test
    void an_application_can_switch_headgate_off() {
        try (ConfigurableApplicationContext context =
                new SpringApplicationBuilder(Application.class).run("--headgate.enabled=false", "--server.port=0")) {
            // Beans of Headgate that have a condition of their own serve only the others.
            assertThat(context.getBeanDefinitionNames())
                    .filteredOn(name -> name.startsWith("headgate"))
                    .allMatch(name -> name.equals("headgateRedisDetails") || name.equals("headgatePayloadConverter"));
        }
    }

    @Configuration(proxyBeanMethods = false)
    @EnableAutoConfiguration
    static class Application {}
}
