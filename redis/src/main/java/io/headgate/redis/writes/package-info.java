/**
 * Writes of queues and streams that Redis confirms as their {@link io.headgate.queues.Durability} requests. Internal: may change in
 * any release.
 */
@NullMarked
package io.headgate.redis.writes;

import org.jspecify.annotations.NullMarked;
