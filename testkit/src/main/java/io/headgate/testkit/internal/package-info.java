/** Parts of the test kit that several of its packages use: processes, ports and the Redis protocol. Not part of its API. */
@NullMarked
package io.headgate.testkit.internal;

import org.jspecify.annotations.NullMarked;
