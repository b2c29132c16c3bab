@NullMarked
package io.headgate.queues.internal;

import org.jspecify.annotations.NullMarked;
