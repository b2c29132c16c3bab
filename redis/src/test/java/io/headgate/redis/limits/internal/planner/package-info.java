@NullMarked
package io.headgate.redis.limits.internal.planner;

import org.jspecify.annotations.NullMarked;
