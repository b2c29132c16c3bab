/** The audit: a check, and repair, of the consistency of everything that a queue stores. */
@NullMarked
package io.headgate.redis.queues.internal.audit;

import org.jspecify.annotations.NullMarked;
