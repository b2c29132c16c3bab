/** In-flight limits in Redis, and holds during outages. */
@NullMarked
package io.headgate.redis.limits.internal.inflight;

import org.jspecify.annotations.NullMarked;
