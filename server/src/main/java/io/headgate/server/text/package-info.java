/** Numbers, times, tables, JSON and quoted values as text. Independent of limits, queues, HTTP and commands. */
@NullMarked
package io.headgate.server.text;

import org.jspecify.annotations.NullMarked;
