@NullMarked
package io.headgate.redis.limits;

import org.jspecify.annotations.NullMarked;
