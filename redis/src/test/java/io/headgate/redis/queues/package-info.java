@NullMarked
package io.headgate.redis.queues;

import org.jspecify.annotations.NullMarked;
