package io.headgate.spring.boot3;

import io.headgate.spring.outgoing.OutgoingAutoConfiguration;
import io.headgate.spring.outgoing.OutgoingFilter;
import io.headgate.spring.outgoing.OutgoingLimits;
import io.headgate.spring.outgoing.OutgoingProperties;
import org.springframework.beans.factory.ObjectProvider;
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
import org.springframework.http.client.ClientHttpRequestInterceptor;
import org.springframework.web.client.RestClient;
import org.springframework.web.reactive.function.client.ExchangeFilterFunction;
import org.springframework.web.reactive.function.client.WebClient;

/**
 * Limits the calls of clients that are built by the builders of Spring Boot 3. Other customizers come first, so that a call that one of
 * their interceptors repeats needs permits again. The limits are found at the first call, so that beans they need may have clients
 * themselves. Without routes, the clients remain as they are.
 */
@AutoConfiguration(after = OutgoingAutoConfiguration.class)
public class Boot3ClientAutoConfiguration {

    /** Creates the configuration. */
    Boot3ClientAutoConfiguration() {}

    /** Limits blocking clients. */
    @Configuration(proxyBeanMethods = false)
    @ConditionalOnClass({RestClient.class, RestClientCustomizer.class})
    @ConditionalOnBean(OutgoingLimits.class)
    static class BlockingClientConfiguration {

        @Bean
        @Order(Ordered.LOWEST_PRECEDENCE)
        RestClientCustomizer headgateRestClientCustomizer(
                OutgoingProperties properties, ObjectProvider<OutgoingLimits> limits) {
            ClientHttpRequestInterceptor interceptor = OutgoingLimits.resolvedLater(limits::getObject);
            return client -> {
                if (!properties.routes().isEmpty()) {
                    client.requestInterceptor(interceptor);
                }
            };
        }

        @Bean
        @Order(Ordered.LOWEST_PRECEDENCE)
        RestTemplateCustomizer headgateRestTemplateCustomizer(
                OutgoingProperties properties, ObjectProvider<OutgoingLimits> limits) {
            ClientHttpRequestInterceptor interceptor = OutgoingLimits.resolvedLater(limits::getObject);
            return client -> {
                if (!properties.routes().isEmpty()) {
                    client.getInterceptors().add(interceptor);
                }
            };
        }
    }

    /** Limits reactive clients. */
    @Configuration(proxyBeanMethods = false)
    @ConditionalOnClass({WebClient.class, WebClientCustomizer.class})
    @ConditionalOnBean(OutgoingFilter.class)
    static class ReactiveClientConfiguration {

        @Bean
        @Order(Ordered.LOWEST_PRECEDENCE)
        WebClientCustomizer headgateWebClientCustomizer(
                OutgoingProperties properties, ObjectProvider<OutgoingFilter> filter) {
            ExchangeFilterFunction later = OutgoingFilter.resolvedLater(filter::getObject);
            return client -> {
                if (!properties.routes().isEmpty()) {
                    client.filter(later);
                }
            };
        }
    }
}
