/** What faults of Redis do to limits and jobs. */
@NullMarked
package io.headgate.bench.faults;

import org.jspecify.annotations.NullMarked;
