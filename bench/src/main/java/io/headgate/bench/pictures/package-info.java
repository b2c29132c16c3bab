/** Draws the pictures of the guides, which show what each limit admits. */
@NullMarked
package io.headgate.bench.pictures;

import org.jspecify.annotations.NullMarked;
