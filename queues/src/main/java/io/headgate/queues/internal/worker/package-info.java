/** The loop of a worker: when it polls, which jobs it has, and what it reports about them. */
@NullMarked
package io.headgate.queues.internal.worker;

import org.jspecify.annotations.NullMarked;
