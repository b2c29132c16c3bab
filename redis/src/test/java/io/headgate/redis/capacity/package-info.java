@NullMarked
package io.headgate.redis.capacity;

import org.jspecify.annotations.NullMarked;
