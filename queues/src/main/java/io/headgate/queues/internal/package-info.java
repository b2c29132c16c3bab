/** Shared code of queues and engines. Not part of the API: it may change at any time. */
@NullMarked
package io.headgate.queues.internal;

import org.jspecify.annotations.NullMarked;
