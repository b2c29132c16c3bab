/** Converts the payloads of jobs and entries, and validates them. */
@org.jspecify.annotations.NullMarked
package io.headgate.spring.queues.internal.payloads;
