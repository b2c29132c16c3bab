/** {@code headgate plan}: what limits or a queue will take of a Redis, before they run. */
@NullMarked
package io.headgate.server.plan;

import org.jspecify.annotations.NullMarked;
