/** {@code headgate serve}: the server, its options, counters, page and life cycle. */
@NullMarked
package io.headgate.server.serve;

import org.jspecify.annotations.NullMarked;
