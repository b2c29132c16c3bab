/** Event streams and their consumer groups, on Redis streams. */
@NullMarked
package io.headgate.redis.queues.internal.stream;

import org.jspecify.annotations.NullMarked;
