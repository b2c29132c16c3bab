/** Queues with several shards: the number of shards, the distribution of calls over them, and the registry of names. */
@NullMarked
package io.headgate.redis.queues.internal.shards;

import org.jspecify.annotations.NullMarked;
