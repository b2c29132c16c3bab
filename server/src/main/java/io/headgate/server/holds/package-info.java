/** Holds over HTTP: clients are the holders, and take, renew and release permits of in-flight limits. */
@NullMarked
package io.headgate.server.holds;

import org.jspecify.annotations.NullMarked;
