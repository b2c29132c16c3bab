/** Sends requests to Redis: in batches, in a call for each slot of a Cluster, with deadlines, and once for each request id. */
@NullMarked
package io.headgate.redis.limits.internal.calls;

import org.jspecify.annotations.NullMarked;
