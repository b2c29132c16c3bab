/**
 * The HTTP server for programs in any language, and the command line; started by {@link io.headgate.server.Main}. Each package below has
 * one purpose, such as a command; a test checks their dependencies.
 */
@NullMarked
package io.headgate.server;

import org.jspecify.annotations.NullMarked;
