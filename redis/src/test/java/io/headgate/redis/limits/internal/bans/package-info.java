@NullMarked
package io.headgate.redis.limits.internal.bans;

import org.jspecify.annotations.NullMarked;
