@NullMarked
package io.headgate.redis.internal;

import org.jspecify.annotations.NullMarked;
