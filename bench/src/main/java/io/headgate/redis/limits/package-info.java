/** What the benchmarks need of the engine beyond what it offers to users. */
@NullMarked
package io.headgate.redis.limits;

import org.jspecify.annotations.NullMarked;
