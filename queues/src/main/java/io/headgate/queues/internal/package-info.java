/** What the engines of queues share; not for users, and free to change. */
@NullMarked
package io.headgate.queues.internal;

import org.jspecify.annotations.NullMarked;
