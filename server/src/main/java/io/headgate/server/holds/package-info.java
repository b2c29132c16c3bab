/** Holds over HTTP: what is in flight is taken, renewed and given back by clients, which are the holders. */
@NullMarked
package io.headgate.server.holds;

import org.jspecify.annotations.NullMarked;
