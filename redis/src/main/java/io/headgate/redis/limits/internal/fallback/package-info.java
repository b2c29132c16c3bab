/** Decisions while Redis is unavailable, and charging their usage afterwards. */
@NullMarked
package io.headgate.redis.limits.internal.fallback;

import org.jspecify.annotations.NullMarked;
