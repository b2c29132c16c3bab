/** Limiters that count in Redis, assembled from the packages below. */
@NullMarked
package io.headgate.redis.limits.internal;

import org.jspecify.annotations.NullMarked;
