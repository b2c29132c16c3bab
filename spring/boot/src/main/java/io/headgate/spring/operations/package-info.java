/** What operators see and change: the Actuator endpoint, meters and observations. */
@org.jspecify.annotations.NullMarked
package io.headgate.spring.operations;
