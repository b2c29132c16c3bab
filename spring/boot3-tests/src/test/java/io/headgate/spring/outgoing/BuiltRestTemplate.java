package io.headgate.spring.outgoing;

import org.springframework.boot.web.client.RestTemplateBuilder;
import org.springframework.context.ApplicationContext;
import org.springframework.web.client.RestTemplate;

/** Builds a RestTemplate as an application on Spring Boot 3 does. */
final class BuiltRestTemplate {

    private BuiltRestTemplate() {}

    static RestTemplate of(ApplicationContext context) {
        return context.getBean(RestTemplateBuilder.class).build();
    }
}
