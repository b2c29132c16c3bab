/** What hostile clients do to the server. */
@NullMarked
package io.headgate.bench.hostile;

import org.jspecify.annotations.NullMarked;
