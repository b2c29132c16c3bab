/** Tests of the public types of queues. */
@NullMarked
package io.headgate.queues;

import org.jspecify.annotations.NullMarked;
