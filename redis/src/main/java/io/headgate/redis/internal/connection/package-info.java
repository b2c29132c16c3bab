/** Connections to one Redis: how they are opened, time out, break and are replaced. */
@NullMarked
package io.headgate.redis.internal.connection;

import org.jspecify.annotations.NullMarked;
