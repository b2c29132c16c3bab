/** Routes, their values and their decisions: what does not depend on servlets or WebFlux. */
@org.jspecify.annotations.NullMarked
package io.headgate.spring.web.internal;
