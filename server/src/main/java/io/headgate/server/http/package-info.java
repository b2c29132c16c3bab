/** The shared parts of the HTTP API: responses, problems, JSON bodies and tokens. */
@NullMarked
package io.headgate.server.http;

import org.jspecify.annotations.NullMarked;
