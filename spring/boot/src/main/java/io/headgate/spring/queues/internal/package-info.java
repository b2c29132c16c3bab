/** How listeners of queues and streams are found, called, started and stopped. */
@org.jspecify.annotations.NullMarked
package io.headgate.spring.queues.internal;
