/** Script calls for requests: keys, arguments and how replies are read. Nothing here sends anything. */
@NullMarked
package io.headgate.redis.limits.internal.planner;

import org.jspecify.annotations.NullMarked;
