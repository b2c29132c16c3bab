/** The keys of which a policy sees, denies and admits the most: an approximate count, bounded in memory. */
@NullMarked
package io.headgate.limits.hotkeys;

import org.jspecify.annotations.NullMarked;
