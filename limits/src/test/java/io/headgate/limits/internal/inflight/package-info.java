@NullMarked
package io.headgate.limits.internal.inflight;

import org.jspecify.annotations.NullMarked;
