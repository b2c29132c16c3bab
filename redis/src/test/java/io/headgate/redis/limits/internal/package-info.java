@NullMarked
package io.headgate.redis.limits.internal;

import org.jspecify.annotations.NullMarked;
