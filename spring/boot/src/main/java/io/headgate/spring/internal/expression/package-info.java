/** Expressions (SpEL) of routes and annotations, which are checked before the application starts. */
@org.jspecify.annotations.NullMarked
package io.headgate.spring.internal.expression;
