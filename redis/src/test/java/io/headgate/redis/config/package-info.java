/** Tests of configurations in Redis. */
@NullMarked
package io.headgate.redis.config;

import org.jspecify.annotations.NullMarked;
