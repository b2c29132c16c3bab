/** Bans and exemptions: requests that are denied, or allowed, whatever their limits are. */
@NullMarked
package io.headgate.limits.bans;

import org.jspecify.annotations.NullMarked;
