/** {@code headgate demo}: a Redis, a server, clients and a worker on this machine, and the table of their results. */
@NullMarked
package io.headgate.server.demo;

import org.jspecify.annotations.NullMarked;
