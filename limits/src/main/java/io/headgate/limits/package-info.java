/**
 * Rate limits and in-flight limits: {@link io.headgate.limits.Limit limits}, {@link io.headgate.limits.Policy policies} of several
 * rules, {@link io.headgate.limits.Decision decisions}, and the engine in memory.
 *
 * <p>Start at {@link io.headgate.limits.LimitEngine}.
 */
@NullMarked
package io.headgate.limits;

import org.jspecify.annotations.NullMarked;
