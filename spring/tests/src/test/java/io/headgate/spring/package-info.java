/** Tests of engines, policies and health, which run on both lines of Spring Boot. */
@org.jspecify.annotations.NullMarked
package io.headgate.spring;
