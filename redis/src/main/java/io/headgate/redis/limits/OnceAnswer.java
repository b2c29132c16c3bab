package io.headgate.redis.limits;

import io.headgate.limits.Decision;
import org.jspecify.annotations.Nullable;

/** What came of a request with an id: a decision, of now or before, or why there is none. */
record OnceAnswer(@Nullable Decision decision, @Nullable RuntimeException problem) {}
