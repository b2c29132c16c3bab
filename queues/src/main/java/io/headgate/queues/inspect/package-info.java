/** What an operator reads of a queue: its stored jobs in pages, their states and counts, and the result of an audit. */
@NullMarked
package io.headgate.queues.inspect;

import org.jspecify.annotations.NullMarked;
