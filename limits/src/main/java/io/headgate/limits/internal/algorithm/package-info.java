/**
 * The arithmetic of each kind of limit, without storage or clocks. A {@link io.headgate.limits.internal.algorithm.Counter} is the state of
 * a key in memory, with its lock.
 */
@NullMarked
package io.headgate.limits.internal.algorithm;

import org.jspecify.annotations.NullMarked;
