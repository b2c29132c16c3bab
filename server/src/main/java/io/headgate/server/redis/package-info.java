/** The connection of a command to Redis: options, a connection for any command, and explanations of failures. */
@NullMarked
package io.headgate.server.redis;

import org.jspecify.annotations.NullMarked;
