/** Decisions while Redis is unavailable, and the later charge of their usage in Redis. */
@NullMarked
package io.headgate.redis.limits.internal.fallback;

import org.jspecify.annotations.NullMarked;
