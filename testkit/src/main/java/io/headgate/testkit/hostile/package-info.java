/** Hostile clients of an HTTP server, and the memory of the server under their attacks. */
@NullMarked
package io.headgate.testkit.hostile;

import org.jspecify.annotations.NullMarked;
