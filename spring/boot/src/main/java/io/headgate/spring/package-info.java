/** Headgate in an application on Spring Boot: its engines and policies. */
@org.jspecify.annotations.NullMarked
package io.headgate.spring;
