/** Tests of streams and their settings. */
@NullMarked
package io.headgate.queues.streams;

import org.jspecify.annotations.NullMarked;
