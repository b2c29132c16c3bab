/** Faults of Redis and of the network to it: a proxy that breaks connections, and states in which a Redis rejects commands. */
@NullMarked
package io.headgate.testkit.faults;

import org.jspecify.annotations.NullMarked;
