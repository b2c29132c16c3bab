/** What all of the HTTP API shares: answers, problems, JSON bodies and tokens. */
@NullMarked
package io.headgate.server.http;

import org.jspecify.annotations.NullMarked;
