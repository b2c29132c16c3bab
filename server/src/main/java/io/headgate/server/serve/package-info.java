/** {@code headgate serve}: the server as a whole, what it counts, its page, its start and its end. */
@NullMarked
package io.headgate.server.serve;

import org.jspecify.annotations.NullMarked;
