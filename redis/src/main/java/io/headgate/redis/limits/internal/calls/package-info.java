/** Sends requests to Redis: batched, by slot, with deadlines and idempotency. */
@NullMarked
package io.headgate.redis.limits.internal.calls;

import org.jspecify.annotations.NullMarked;
