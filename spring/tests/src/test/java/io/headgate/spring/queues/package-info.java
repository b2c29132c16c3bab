/** Tests of listeners and the template. */
@org.jspecify.annotations.NullMarked
package io.headgate.spring.queues;
