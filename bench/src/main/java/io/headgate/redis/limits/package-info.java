/** Access of the benchmarks to package-private parts of the engine. */
@NullMarked
package io.headgate.redis.limits;

import org.jspecify.annotations.NullMarked;
