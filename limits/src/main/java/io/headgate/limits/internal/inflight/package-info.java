/** In-flight limits: holds, their leases and tickets, and callers that wait for one. */
@NullMarked
package io.headgate.limits.internal.inflight;

import org.jspecify.annotations.NullMarked;
