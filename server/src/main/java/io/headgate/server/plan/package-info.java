/** {@code headgate plan}: the load that limits or a queue will put on a Redis. */
@NullMarked
package io.headgate.server.plan;

import org.jspecify.annotations.NullMarked;
