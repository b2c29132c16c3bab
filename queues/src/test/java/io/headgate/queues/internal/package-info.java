/** Tests of how a worker goes about its work. */
@NullMarked
package io.headgate.queues.internal;

import org.jspecify.annotations.NullMarked;
