package io.headgate.spring.boot4;

import io.headgate.spring.HeadgateAutoConfiguration;
import io.headgate.spring.internal.EngineHealth;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.boot.health.autoconfigure.contributor.ConditionalOnEnabledHealthIndicator;
import org.springframework.boot.health.contributor.Health;
import org.springframework.boot.health.contributor.HealthIndicator;
import org.springframework.context.annotation.Bean;

/** Adds the engine to the health of an application on Spring Boot 4. */
@AutoConfiguration(after = HeadgateAutoConfiguration.class)
@ConditionalOnClass({HealthIndicator.class, ConditionalOnEnabledHealthIndicator.class})
@ConditionalOnEnabledHealthIndicator("headgate")
public class Boot4HealthAutoConfiguration {

    /** Creates the configuration. */
    Boot4HealthAutoConfiguration() {}

    @Bean
    @ConditionalOnBean(EngineHealth.class)
    @ConditionalOnMissingBean(name = "headgateHealthIndicator")
    HealthIndicator headgateHealthIndicator(EngineHealth engine) {
        // An engine is closed only with the context. While Redis is unavailable, the application works by fallbacks.
        return () -> Health.up().withDetails(engine.details()).build();
    }
}
