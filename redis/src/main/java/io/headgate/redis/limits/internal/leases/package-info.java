/** Permits leased from Redis in advance and spent in this process. */
@NullMarked
package io.headgate.redis.limits.internal.leases;

import org.jspecify.annotations.NullMarked;
