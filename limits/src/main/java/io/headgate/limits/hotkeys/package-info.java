/** The keys with the most requests and denials: approximate counts in bounded memory. */
@NullMarked
package io.headgate.limits.hotkeys;

import org.jspecify.annotations.NullMarked;
