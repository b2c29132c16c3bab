/** Hot keys: the command, the HTTP path, and their output. */
@NullMarked
package io.headgate.server.top;

import org.jspecify.annotations.NullMarked;
