/** In-flight limits on Redis: keys, calls and signals. Nothing here is for users. */
@NullMarked
package io.headgate.redis.inflight;

import org.jspecify.annotations.NullMarked;
