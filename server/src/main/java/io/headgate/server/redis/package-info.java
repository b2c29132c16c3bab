/** The Redis that a command is told of: its options, any command that it can be asked, and why it does not answer. */
@NullMarked
package io.headgate.server.redis;

import org.jspecify.annotations.NullMarked;
