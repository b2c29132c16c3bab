/** The HTTP API of limits: checks in JSON and for proxies, refunds, and what a limit is in words. */
@NullMarked
package io.headgate.server.limits;

import org.jspecify.annotations.NullMarked;
