/** Helpers that the tests of limits and queues share. */
@NullMarked
package io.headgate.redis;

import org.jspecify.annotations.NullMarked;
