/** Tests of gateways, on both lines of Spring Cloud Gateway. */
@org.jspecify.annotations.NullMarked
package io.headgate.spring.gateway;
