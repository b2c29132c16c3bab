/** Parts of the test kit that several of its packages use: processes, ports and the Redis protocol. They may change at any time. */
@NullMarked
package io.headgate.testkit.internal;

import org.jspecify.annotations.NullMarked;
