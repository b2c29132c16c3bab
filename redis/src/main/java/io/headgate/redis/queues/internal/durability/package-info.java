/** Which writes of a queue are confirmed: by this server, its replicas or its append-only file. */
@NullMarked
package io.headgate.redis.queues.internal.durability;

import org.jspecify.annotations.NullMarked;
