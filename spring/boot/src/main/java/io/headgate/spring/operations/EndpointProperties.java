package io.headgate.spring.operations;

import java.util.Set;
import org.springframework.boot.actuate.endpoint.Show;
import org.springframework.boot.context.properties.ConfigurationProperties;
import org.springframework.boot.context.properties.bind.DefaultValue;

/**
 * The settings of the endpoint. Those that all endpoints have, such as {@code access}, are read by Spring Boot.
 *
 * @param showValues When to show the ids of hot keys, which may be personal data.
 * @param roles Roles of which a user needs one to see ids with when-authorized. If it is empty, every authenticated user sees them.
 */
@ConfigurationProperties("management.endpoint.headgate")
public record EndpointProperties(
        @DefaultValue("never") Show showValues,
        @DefaultValue Set<String> roles) {}
