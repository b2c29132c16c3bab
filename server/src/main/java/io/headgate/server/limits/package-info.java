/** The HTTP API of limits: checks in JSON and by proxies, and refunds. */
@NullMarked
package io.headgate.server.limits;

import org.jspecify.annotations.NullMarked;
