/** Tests of limits for the requests of WebFlux applications. */
@org.jspecify.annotations.NullMarked
package io.headgate.spring.web.reactive;
