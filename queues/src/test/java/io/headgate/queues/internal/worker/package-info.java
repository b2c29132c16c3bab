@NullMarked
package io.headgate.queues.internal.worker;

import org.jspecify.annotations.NullMarked;
