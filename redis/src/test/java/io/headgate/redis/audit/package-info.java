/** Tests of configurations in Redis. */
@NullMarked
package io.headgate.redis.audit;

import org.jspecify.annotations.NullMarked;
