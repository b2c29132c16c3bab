/**
 * Sends requests to Redis in batches or in calls of their own, with a call for each rule where one call can't have all keys; ends them at
 * their deadlines.
 */
@NullMarked
package io.headgate.redis.limits.internal.calls;

import org.jspecify.annotations.NullMarked;
