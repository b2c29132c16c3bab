/**
 * Limits for HTTP requests, declared as routes in the properties of an application. What does not depend on servlets or WebFlux: the routes,
 * their values and their decisions.
 */
@org.jspecify.annotations.NullMarked
package io.headgate.spring.web;
