/** Connections to one Redis: opening, timing out, losing and replacing them. */
@NullMarked
package io.headgate.redis.internal.connection;

import org.jspecify.annotations.NullMarked;
