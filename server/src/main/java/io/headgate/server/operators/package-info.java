/** The operators' log: one line for each change that an operator makes, over HTTP or from the command line. */
@NullMarked
package io.headgate.server.operators;

import org.jspecify.annotations.NullMarked;
