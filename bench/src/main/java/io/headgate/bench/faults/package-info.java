/** Limits and jobs during faults of Redis. */
@NullMarked
package io.headgate.bench.faults;

import org.jspecify.annotations.NullMarked;
