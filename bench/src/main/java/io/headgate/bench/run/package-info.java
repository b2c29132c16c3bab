/** How a comparison runs: scenarios in interleaved rounds, on a Redis of its own. */
@NullMarked
package io.headgate.bench.run;

import org.jspecify.annotations.NullMarked;
