@NullMarked
package io.headgate.bench.queues;

import org.jspecify.annotations.NullMarked;
