/**
 * How numbers, times, tables, JSON and what was given are written and read; knows nothing of limits, queues, HTTP or
 * commands.
 */
@NullMarked
package io.headgate.server.text;

import org.jspecify.annotations.NullMarked;
