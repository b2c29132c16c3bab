/**
 * The HTTP server that programs of any language ask, and the command line; started by {@link io.headgate.server.Main}.
 * Each of the packages below is a room for one matter, such as a command; which may know which, a test says.
 */
@NullMarked
package io.headgate.server;

import org.jspecify.annotations.NullMarked;
