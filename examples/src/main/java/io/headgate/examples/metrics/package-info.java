/** Examples of metrics. */
@NullMarked
package io.headgate.examples.metrics;

import org.jspecify.annotations.NullMarked;
