/** {@code headgate doctor}: what it looks at in a Redis, a class for each matter. */
@NullMarked
package io.headgate.server.doctor;

import org.jspecify.annotations.NullMarked;
