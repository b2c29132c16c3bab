/** Queues for operators, over HTTP and on the command line. */
@NullMarked
package io.headgate.server.queues;

import org.jspecify.annotations.NullMarked;
