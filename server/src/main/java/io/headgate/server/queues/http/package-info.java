/** The HTTP API of queues: who may call it, its paths, and what each of them answers. */
@NullMarked
package io.headgate.server.queues.http;

import org.jspecify.annotations.NullMarked;
