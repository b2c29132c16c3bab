/** Jobs as they are stored: keys, fields, ids, and the replies that contain them. */
@NullMarked
package io.headgate.redis.queues.internal.job;

import org.jspecify.annotations.NullMarked;
