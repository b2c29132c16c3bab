/** The operators' log: one line for each operator call and refund over HTTP, and for each change from the command line. */
@NullMarked
package io.headgate.server.operators;

import org.jspecify.annotations.NullMarked;
