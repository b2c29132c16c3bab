/** What both halves on Redis share: connections, script calls, packed numbers. Not for users, and free to change. */
@NullMarked
package io.headgate.redis.internal;

import org.jspecify.annotations.NullMarked;
