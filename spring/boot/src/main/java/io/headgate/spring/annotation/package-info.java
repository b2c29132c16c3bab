/** Limits for the calls of methods, declared by annotations. */
@org.jspecify.annotations.NullMarked
package io.headgate.spring.annotation;
