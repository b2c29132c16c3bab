/** A queue over several shards. */
@NullMarked
package io.headgate.redis.queues.internal.shards;

import org.jspecify.annotations.NullMarked;
