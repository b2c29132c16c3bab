/** The HTTP API of queues: its paths, their responses, and the access of operators. */
@NullMarked
package io.headgate.server.queues.http;

import org.jspecify.annotations.NullMarked;
