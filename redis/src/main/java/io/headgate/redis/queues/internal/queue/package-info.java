/** One queue, on one shard. */
@NullMarked
package io.headgate.redis.queues.internal.queue;

import org.jspecify.annotations.NullMarked;
