/** The results of inspecting a queue: stored jobs in pages, their states and counts, and audit reports. */
@NullMarked
package io.headgate.queues.inspect;

import org.jspecify.annotations.NullMarked;
