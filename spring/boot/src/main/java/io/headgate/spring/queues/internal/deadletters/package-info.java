/** Delivers the dead letters of a queue or a consumer group to a listener. */
@org.jspecify.annotations.NullMarked
package io.headgate.spring.queues.internal.deadletters;
