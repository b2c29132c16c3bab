/** A queue on one shard: its operations, their script calls, and the batching of enqueue requests. */
@NullMarked
package io.headgate.redis.queues.internal.queue;

import org.jspecify.annotations.NullMarked;
