/**
 * Event streams and their consumer groups: every group receives every entry. {@link io.headgate.queues.QueueEngine#stream} makes a
 * stream.
 */
@NullMarked
package io.headgate.queues.streams;

import org.jspecify.annotations.NullMarked;
