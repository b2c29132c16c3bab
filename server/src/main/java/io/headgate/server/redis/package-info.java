/** The Redis of a command: its options, a connection for any command, and explanations of connection failures. */
@NullMarked
package io.headgate.server.redis;

import org.jspecify.annotations.NullMarked;
