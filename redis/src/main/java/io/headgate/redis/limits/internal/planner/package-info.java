/** Plans the script calls of requests: keys, arguments and decoders of replies. Nothing here does I/O. */
@NullMarked
package io.headgate.redis.limits.internal.planner;

import org.jspecify.annotations.NullMarked;
