/**
 * The HTTP server that programs of any language ask, and the command line; started by {@link io.headgate.server.Main}.
 */
@NullMarked
package io.headgate.server;

import org.jspecify.annotations.NullMarked;
