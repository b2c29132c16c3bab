/** Tests of streams on Redis. */
@NullMarked
package io.headgate.redis.streams;

import org.jspecify.annotations.NullMarked;
