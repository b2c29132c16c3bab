/** The operators' log: one line for each call of an operator over HTTP, and for each change from the command line. */
@NullMarked
package io.headgate.server.operators;

import org.jspecify.annotations.NullMarked;
