/** Tests of configurations in Redis. */
@NullMarked
package io.headgate.redis.internal.audit;

import org.jspecify.annotations.NullMarked;
