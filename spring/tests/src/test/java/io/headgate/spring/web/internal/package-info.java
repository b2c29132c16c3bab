/** Tests of routes. */
@org.jspecify.annotations.NullMarked
package io.headgate.spring.web.internal;
