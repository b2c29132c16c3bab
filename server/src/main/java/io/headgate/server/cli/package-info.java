/** The parts that all commands share: options, output, confirmation and error messages. */
@NullMarked
package io.headgate.server.cli;

import org.jspecify.annotations.NullMarked;
