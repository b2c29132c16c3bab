/** The run of a comparison: scenarios in interleaved rounds, on a Redis that the command starts. */
@NullMarked
package io.headgate.bench.run;

import org.jspecify.annotations.NullMarked;
