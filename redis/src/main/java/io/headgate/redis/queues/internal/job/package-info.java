/** The stored form of jobs: Redis keys, records, ids, and the arguments and replies of scripts that contain jobs. */
@NullMarked
package io.headgate.redis.queues.internal.job;

import org.jspecify.annotations.NullMarked;
