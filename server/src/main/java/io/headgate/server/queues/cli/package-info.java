/** {@code headgate queue} and its commands. */
@NullMarked
package io.headgate.server.queues.cli;

import org.jspecify.annotations.NullMarked;
