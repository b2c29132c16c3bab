/** Bans and exemptions in Redis, and their copy in this process. */
@NullMarked
package io.headgate.redis.limits.internal.bans;

import org.jspecify.annotations.NullMarked;
