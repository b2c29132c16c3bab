/** Tests of what users of queues and streams give and get. */
@NullMarked
package io.headgate.queues;

import org.jspecify.annotations.NullMarked;
