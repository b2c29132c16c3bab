package io.headgate.spring.outgoing;

import io.headgate.config.PolicyRegistry;
import io.headgate.spring.HeadgateAutoConfiguration;
import io.headgate.spring.internal.ConfigurationCheck;
import io.headgate.spring.internal.DecisionObserver;
import io.headgate.spring.internal.expression.ReactiveResults;
import java.util.function.UnaryOperator;
import org.springframework.beans.factory.BeanFactory;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.context.properties.EnableConfigurationProperties;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.util.ClassUtils;

/** Configures the limits of the HTTP calls that an application makes. */
@AutoConfiguration(after = HeadgateAutoConfiguration.class)
@ConditionalOnBean(HeadgateAutoConfiguration.class)
@EnableConfigurationProperties(OutgoingProperties.class)
public class OutgoingAutoConfiguration {

    /** Creates the configuration. */
    OutgoingAutoConfiguration() {}

    @Bean
    OutgoingLimits headgateOutgoingLimits(
            OutgoingProperties properties,
            PolicyRegistry registry,
            BeanFactory beans,
            ObjectProvider<DecisionObserver> observer) {
        return new OutgoingLimits(OutgoingCompiler.compile(
                properties, registry, beans, results(), observer.getIfAvailable(() -> DecisionObserver.NONE)));
    }

    @Bean
    ConfigurationCheck headgateOutgoingCheck(OutgoingProperties properties, BeanFactory beans) {
        return registry -> OutgoingCompiler.compile(properties, registry, beans, results(), DecisionObserver.NONE);
    }

    private static UnaryOperator<Object> results() {
        return ClassUtils.isPresent("reactor.core.publisher.Mono", OutgoingAutoConfiguration.class.getClassLoader())
                ? ReactiveResults.stages()
                : UnaryOperator.identity();
    }

    @Bean
    OutgoingClients headgateOutgoingClients(OutgoingProperties properties, ObjectProvider<OutgoingLimits> limits) {
        return new OutgoingClients(properties, limits::getObject);
    }

    /** Limits reactive clients. */
    @Configuration(proxyBeanMethods = false)
    @ConditionalOnClass(name = "org.springframework.web.reactive.function.client.ExchangeFilterFunction")
    static class ReactiveClientConfiguration {

        @Bean
        OutgoingFilter headgateOutgoingFilter(OutgoingLimits limits) {
            return new OutgoingFilter(limits);
        }

        @Bean
        OutgoingClients.Reactive headgateReactiveOutgoingClients(
                OutgoingProperties properties, ObjectProvider<OutgoingFilter> filter) {
            return new OutgoingClients.Reactive(properties, filter::getObject);
        }
    }
}
