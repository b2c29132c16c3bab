/** The audit that compares the structures of a queue with each other. */
@NullMarked
package io.headgate.redis.queues.internal.audit;

import org.jspecify.annotations.NullMarked;
