/** Listeners of queues and streams, and a template that enqueues jobs and produces entries. */
@org.jspecify.annotations.NullMarked
package io.headgate.spring.queues;
