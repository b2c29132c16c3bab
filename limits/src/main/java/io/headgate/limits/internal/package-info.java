/** How the engine in memory works; not for users, and free to change. */
@NullMarked
package io.headgate.limits.internal;

import org.jspecify.annotations.NullMarked;
