/** Cached denials, and the messages between instances that invalidate them. */
@NullMarked
package io.headgate.redis.limits.internal.denials;

import org.jspecify.annotations.NullMarked;
