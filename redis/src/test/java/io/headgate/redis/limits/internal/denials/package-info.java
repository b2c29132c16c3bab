@NullMarked
package io.headgate.redis.limits.internal.denials;

import org.jspecify.annotations.NullMarked;
