/**
 * {@code headgate demo}: a Redis, a server, clients and a worker on this machine, and the table of what becomes of
 * them.
 */
@NullMarked
package io.headgate.server.demo;

import org.jspecify.annotations.NullMarked;
