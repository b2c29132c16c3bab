/** What the auto-configurations of routes, annotations and both lines of Spring Boot share. */
@org.jspecify.annotations.NullMarked
package io.headgate.spring.internal;
