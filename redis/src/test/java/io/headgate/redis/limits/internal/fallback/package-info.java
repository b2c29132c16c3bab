@NullMarked
package io.headgate.redis.limits.internal.fallback;

import org.jspecify.annotations.NullMarked;
