/** The server under attacks of hostile clients. */
@NullMarked
package io.headgate.bench.hostile;

import org.jspecify.annotations.NullMarked;
