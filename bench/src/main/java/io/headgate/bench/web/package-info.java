/** The cost of limits in web applications: a controller of Spring MVC, and a route of Spring Cloud Gateway. */
@NullMarked
package io.headgate.bench.web;

import org.jspecify.annotations.NullMarked;
