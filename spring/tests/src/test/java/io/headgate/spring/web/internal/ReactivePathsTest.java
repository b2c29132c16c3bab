package io.headgate.spring.web.internal;

import static org.assertj.core.api.Assertions.assertThat;

import io.headgate.config.Policies;
import io.headgate.config.PolicyRegistry;
import io.headgate.limits.InMemoryLimitEngine;
import io.headgate.limits.Limit;
import io.headgate.limits.LimitEngine;
import io.headgate.limits.Policy;
import io.headgate.spring.HeadgateAutoConfiguration;
import io.headgate.spring.web.internal.RouteDecision.NotLimited;
import io.headgate.spring.web.reactive.ReactiveWebAutoConfiguration;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.test.context.runner.ReactiveWebApplicationContextRunner;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.web.reactive.config.EnableWebFlux;
import org.springframework.web.reactive.config.PathMatchConfigurer;
import org.springframework.web.reactive.config.WebFluxConfigurer;

class ReactivePathsTest {

    @Configuration(proxyBeanMethods = false)
    @EnableWebFlux
    static class Application implements WebFluxConfigurer {

        @Bean
        LimitEngine engine() {
            return InMemoryLimitEngine.create();
        }

        @Bean
        PolicyRegistry policies(LimitEngine engine) {
            return new PolicyRegistry(
                    engine, Policies.of(List.of(Policy.of("one", Limit.slidingWindow(1, Duration.ofHours(1))))));
        }

        @Override
        public void configurePathMatching(PathMatchConfigurer paths) {
            paths.setUseCaseSensitiveMatch(false);
        }
    }

    @Test
    void routes_ignore_case_as_the_application_does() {
        new ReactiveWebApplicationContextRunner()
                .withConfiguration(AutoConfigurations.of(HeadgateAutoConfiguration.class, ReactiveWebAutoConfiguration.class))
                .withUserConfiguration(Application.class)
                .withPropertyValues("headgate.web.routes[0].path=/login", "headgate.web.routes[0].policy=one")
                .run(context -> assertThat(context.getBean(RouteDecider.class)
                                .decide(
                                        FakeWebRequest.get("/LOGIN"),
                                        Phase.AFTER_AUTHENTICATION,
                                        NotLimited.UNMATCHED)
                                .matched())
                        .isTrue());
    }
}
