/** Limiters that count in the memory of this process. */
@NullMarked
package io.headgate.limits.internal.memory;

import org.jspecify.annotations.NullMarked;
