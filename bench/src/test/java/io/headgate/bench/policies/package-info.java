/** Tests of the benchmark of policies. */
@NullMarked
package io.headgate.bench.policies;

import org.jspecify.annotations.NullMarked;
