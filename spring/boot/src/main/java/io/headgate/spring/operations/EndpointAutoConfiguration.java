package io.headgate.spring.operations;

import io.headgate.config.PolicyRegistry;
import io.headgate.limits.LimitEngine;
import io.headgate.spring.HeadgateAutoConfiguration;
import io.headgate.spring.internal.EngineHealth;
import io.headgate.spring.internal.QueueStates;
import java.util.Map;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.boot.actuate.autoconfigure.endpoint.condition.ConditionalOnAvailableEndpoint;
import org.springframework.boot.actuate.endpoint.web.annotation.WebEndpoint;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.boot.context.properties.EnableConfigurationProperties;
import org.springframework.context.annotation.Bean;

/** Adds the endpoint {@code headgate} to Actuator. Decisions are counted only if the endpoint is exposed. */
@AutoConfiguration(after = HeadgateAutoConfiguration.class)
@ConditionalOnClass({WebEndpoint.class, ConditionalOnAvailableEndpoint.class})
@ConditionalOnAvailableEndpoint(HeadgateEndpoint.class)
@ConditionalOnBean({LimitEngine.class, PolicyRegistry.class})
@EnableConfigurationProperties(EndpointProperties.class)
public class EndpointAutoConfiguration {

    /** Creates the configuration. */
    EndpointAutoConfiguration() {}

    @Bean
    DecisionCounts headgateDecisionCounts(LimitEngine engine) {
        DecisionCounts counts = new DecisionCounts();
        engine.addListener(counts);
        return counts;
    }

    @Bean
    @ConditionalOnMissingBean
    HeadgateEndpoint headgateEndpoint(
            LimitEngine engine,
            EngineHealth health,
            PolicyRegistry registry,
            DecisionCounts counts,
            ObjectProvider<QueueStates> queues,
            EndpointProperties properties) {
        return new HeadgateEndpoint(engine, health, registry, counts, queues.getIfAvailable(() -> Map::of), properties);
    }
}
