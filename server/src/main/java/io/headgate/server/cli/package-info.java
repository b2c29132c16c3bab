/** What all commands share: options, how they ask and answer, and how they say what is wrong. */
@NullMarked
package io.headgate.server.cli;

import org.jspecify.annotations.NullMarked;
