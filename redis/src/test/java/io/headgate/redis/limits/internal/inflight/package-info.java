@NullMarked
package io.headgate.redis.limits.internal.inflight;

import org.jspecify.annotations.NullMarked;
