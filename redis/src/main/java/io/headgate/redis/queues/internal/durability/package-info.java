/** The durability of writes: waits until the replicas or the append-only file of Redis have confirmed a write. */
@NullMarked
package io.headgate.redis.queues.internal.durability;

import org.jspecify.annotations.NullMarked;
