@NullMarked
package io.headgate.redis.limits.internal.leases;

import org.jspecify.annotations.NullMarked;
