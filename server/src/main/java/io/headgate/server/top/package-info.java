/** Which keys are hot: the command, the path, and how both say it. */
@NullMarked
package io.headgate.server.top;

import org.jspecify.annotations.NullMarked;
