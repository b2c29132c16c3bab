/** Draws what each limit admits, for the guides, by asking the engine in memory. */
@NullMarked
package io.headgate.bench.pictures;

import org.jspecify.annotations.NullMarked;
