/** In-flight limits: holds, their leases and tickets, and requests that wait for holds. */
@NullMarked
package io.headgate.limits.internal.inflight;

import org.jspecify.annotations.NullMarked;
