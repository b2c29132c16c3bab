/** Collects jobs into batches for a listener. */
@org.jspecify.annotations.NullMarked
package io.headgate.spring.queues.internal.batch;
