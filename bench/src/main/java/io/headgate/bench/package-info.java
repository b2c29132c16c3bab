/** The command line of the benchmarks, which measure Headgate beside other libraries. */
@NullMarked
package io.headgate.bench;

import org.jspecify.annotations.NullMarked;
