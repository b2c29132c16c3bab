package io.headgate.spring.operations;

import io.headgate.limits.InMemoryLimitEngine;
import io.headgate.limits.LimitEngine;
import io.headgate.micrometer.LimitMetrics;
import io.headgate.micrometer.PolicyMetrics;
import io.headgate.micrometer.QueueMetrics;
import io.headgate.spring.HeadgateAutoConfiguration;
import io.headgate.spring.internal.ActivePolicies;
import io.headgate.spring.internal.DecisionObserver;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.binder.MeterBinder;
import io.micrometer.observation.ObservationRegistry;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnProperty;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;

/** Adds meters of limits, queues and policies if Micrometer is present, and observations of decisions if the application wants them. */
@AutoConfiguration(
        after = HeadgateAutoConfiguration.class,
        afterName = {
            "org.springframework.boot.actuate.autoconfigure.observation.ObservationAutoConfiguration",
            "org.springframework.boot.micrometer.observation.autoconfigure.ObservationAutoConfiguration"
        })
@ConditionalOnBean(HeadgateAutoConfiguration.class)
public class MetricsAutoConfiguration {

    /** Creates the configuration. */
    MetricsAutoConfiguration() {}

    /** Adds meters. */
    @Configuration(proxyBeanMethods = false)
    @ConditionalOnClass(MeterBinder.class)
    @ConditionalOnBean(LimitEngine.class)
    static class MeterConfiguration {

        @Bean
        @ConditionalOnMissingBean
        LimitMetrics headgateLimitMetrics(LimitEngine engine) {
            return new LimitMetrics(engine);
        }

        @Bean
        @ConditionalOnMissingBean(PolicyMetrics.class)
        MeterBinder headgatePolicyMetrics(ObjectProvider<ActivePolicies> policies) {
            return registry -> policies.ifAvailable(active ->
                    active.reloader().ifPresent(reloader -> new PolicyMetrics(reloader::status).bindTo(registry)));
        }

        @Bean
        @ConditionalOnMissingBean(QueueMetrics.class)
        static QueueMeterBinding headgateQueueMeterBinding(ObjectProvider<MeterRegistry> registry) {
            return new QueueMeterBinding(registry);
        }
    }

    /** Adds observations. */
    @Configuration(proxyBeanMethods = false)
    @ConditionalOnClass(ObservationRegistry.class)
    @ConditionalOnBean(ObservationRegistry.class)
    @ConditionalOnProperty("headgate.observations.enabled")
    static class ObservationConfiguration {

        @Bean
        DecisionObserver headgateDecisionObserver(ObservationRegistry registry, LimitEngine engine) {
            return new DecisionObservations(registry, engine instanceof InMemoryLimitEngine);
        }
    }
}
