/**
 * Queues that hold what must wait: {@link io.headgate.queues.NewJob jobs} that become due, {@link io.headgate.queues.Lease
 * leases} under which one worker at a time has them in hand.
 *
 * <p>Start at {@link io.headgate.queues.QueueEngine}.
 */
@NullMarked
package io.headgate.queues;

import org.jspecify.annotations.NullMarked;
