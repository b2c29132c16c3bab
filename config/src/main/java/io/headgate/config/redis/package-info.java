/**
 * Policies in Redis: {@link io.headgate.config.redis.RedisPolicyStore}. Needs {@code headgate-redis}, on which {@code headgate-config}
 * depends optionally.
 */
@NullMarked
package io.headgate.config.redis;

import org.jspecify.annotations.NullMarked;
