@NullMarked
package io.headgate.redis.inflight;

import org.jspecify.annotations.NullMarked;
