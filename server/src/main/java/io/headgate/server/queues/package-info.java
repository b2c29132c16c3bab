/** Queues as an operator sees and changes them, whether over HTTP or on the command line. */
@NullMarked
package io.headgate.server.queues;

import org.jspecify.annotations.NullMarked;
