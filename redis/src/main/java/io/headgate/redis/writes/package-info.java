/**
 * Calls that write, of queues and of streams, as safe as a {@link io.headgate.queues.Durability} wants them. Not for users, and
 * free to change.
 */
@NullMarked
package io.headgate.redis.writes;

import org.jspecify.annotations.NullMarked;
