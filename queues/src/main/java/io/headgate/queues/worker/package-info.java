/** Workers: they claim the jobs of a queue or a group, run a handler for each, and settle them. Start at {@link Worker}. */
@NullMarked
package io.headgate.queues.worker;

import org.jspecify.annotations.NullMarked;
