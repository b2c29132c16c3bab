package io.headgate.spring.boot4;

import io.headgate.spring.outgoing.OutgoingAutoConfiguration;
import io.headgate.spring.outgoing.OutgoingClients;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.restclient.RestClientCustomizer;
import org.springframework.boot.restclient.RestTemplateCustomizer;
import org.springframework.boot.webclient.WebClientCustomizer;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.core.Ordered;
import org.springframework.core.annotation.Order;
import org.springframework.web.client.RestClient;
import org.springframework.web.client.support.RestClientHttpServiceGroupConfigurer;
import org.springframework.web.reactive.function.client.WebClient;
import org.springframework.web.reactive.function.client.support.WebClientHttpServiceGroupConfigurer;

/**
 * Limits the calls of clients that are built by the builders of Spring Boot 4, and of HTTP service groups. Other customizers come
 * first, so that a call that one of their interceptors repeats needs permits again.
 */
@AutoConfiguration(after = OutgoingAutoConfiguration.class)
public class Boot4ClientAutoConfiguration {

    /** Creates the configuration. */
    Boot4ClientAutoConfiguration() {}

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

    /**
     * Limits the blocking clients of HTTP service groups. Spring Boot's customizers come before the configurers of the application there,
     * so that an interceptor which a configurer adds could repeat a call without permits.
     */
    @Configuration(proxyBeanMethods = false)
    @ConditionalOnClass({RestClient.class, RestClientHttpServiceGroupConfigurer.class})
    @ConditionalOnBean(OutgoingClients.class)
    static class BlockingGroupConfiguration {

        @Bean
        RestClientHttpServiceGroupConfigurer headgateRestClientGroupConfigurer(OutgoingClients clients) {
            return groups -> groups.forEachClient((group, client) -> clients.customize(client));
        }
    }

    /** Limits the reactive clients of HTTP service groups. */
    @Configuration(proxyBeanMethods = false)
    @ConditionalOnClass({WebClient.class, WebClientHttpServiceGroupConfigurer.class})
    @ConditionalOnBean(OutgoingClients.Reactive.class)
    static class ReactiveGroupConfiguration {

        @Bean
        WebClientHttpServiceGroupConfigurer headgateWebClientGroupConfigurer(OutgoingClients.Reactive clients) {
            return groups -> groups.forEachClient((group, client) -> clients.customize(client));
        }
    }
}
