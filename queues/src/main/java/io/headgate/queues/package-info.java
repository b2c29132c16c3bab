/**
 * Queues of {@linkplain io.headgate.queues.NewJob jobs}. A queue stores a job until it is due, and delivers it under a
 * {@linkplain io.headgate.queues.Lease lease} to one worker at a time.
 *
 * <p>Start at {@link io.headgate.queues.QueueEngine}.
 */
@NullMarked
package io.headgate.queues;

import org.jspecify.annotations.NullMarked;
