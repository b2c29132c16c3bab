/** The audit log in Redis: its keys and scripts. */
@NullMarked
package io.headgate.redis.internal.audit;

import org.jspecify.annotations.NullMarked;
