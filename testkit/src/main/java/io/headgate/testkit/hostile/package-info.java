/** Hostile clients of an HTTP server, and what they do to the memory of its process. */
@NullMarked
package io.headgate.testkit.hostile;

import org.jspecify.annotations.NullMarked;
