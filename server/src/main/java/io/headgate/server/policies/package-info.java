/** The command {@code headgate policy}. */
@NullMarked
package io.headgate.server.policies;

import org.jspecify.annotations.NullMarked;
