@NullMarked
package io.headgate.redis.internal.connection;

import org.jspecify.annotations.NullMarked;
