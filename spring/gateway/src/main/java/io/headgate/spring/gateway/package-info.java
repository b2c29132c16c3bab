/** Limits for the routes of Spring Cloud Gateway, on WebFlux and on WebMVC. */
@org.jspecify.annotations.NullMarked
package io.headgate.spring.gateway;
