@NullMarked
package io.headgate.redis.limits.internal.calls;

import org.jspecify.annotations.NullMarked;
