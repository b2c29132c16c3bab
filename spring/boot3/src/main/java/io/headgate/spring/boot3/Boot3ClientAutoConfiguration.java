package io.headgate.spring.boot3;

import io.headgate.spring.outgoing.OutgoingAutoConfiguration;
import io.headgate.spring.outgoing.OutgoingClients;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.web.client.RestClientCustomizer;
import org.springframework.boot.web.client.RestTemplateCustomizer;
import org.springframework.boot.web.reactive.function.client.WebClientCustomizer;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.core.Ordered;
import org.springframework.core.annotation.Order;
import org.springframework.web.client.RestClient;
import org.springframework.web.reactive.function.client.WebClient;

/**
 * Limits the calls of clients that are built by the builders of Spring Boot 3. Other customizers come first, so that a call that one of
 * their interceptors repeats needs permits again.
 */
@AutoConfiguration(after = OutgoingAutoConfiguration.class)
public class Boot3ClientAutoConfiguration {

    /** Creates the configuration. */
    Boot3ClientAutoConfiguration() {}

    /** Limits blocking clients. */
    @Configuration(proxyBeanMethods = false)
    @ConditionalOnClass({RestClient.class, RestClientCustomizer.class})
    @ConditionalOnBean(OutgoingClients.class)
    static class BlockingClientConfiguration {

        @Bean
        @Order(Ordered.LOWEST_PRECEDENCE)
        RestClientCustomizer headgateRestClientCustomizer(OutgoingClients clients) {
            return clients::customize;
        }

        @Bean
        @Order(Ordered.LOWEST_PRECEDENCE)
        RestTemplateCustomizer headgateRestTemplateCustomizer(OutgoingClients clients) {
            return clients::customize;
        }
    }

    /** Limits reactive clients. */
    @Configuration(proxyBeanMethods = false)
    @ConditionalOnClass({WebClient.class, WebClientCustomizer.class})
    @ConditionalOnBean(OutgoingClients.Reactive.class)
    static class ReactiveClientConfiguration {

        @Bean
        @Order(Ordered.LOWEST_PRECEDENCE)
        WebClientCustomizer headgateWebClientCustomizer(OutgoingClients.Reactive clients) {
            return clients::customize;
        }
    }
}
