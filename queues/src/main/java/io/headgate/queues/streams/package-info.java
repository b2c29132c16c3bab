/**
 * Streams and their consumer groups: every group receives every entry. {@link io.headgate.queues.QueueEngine#stream} returns a
 * stream.
 */
@NullMarked
package io.headgate.queues.streams;

import org.jspecify.annotations.NullMarked;
