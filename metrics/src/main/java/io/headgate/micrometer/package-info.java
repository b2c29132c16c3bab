/**
 * Metrics of limits, queues and policies, as binders of Micrometer. The guide to metrics lists each meter with its unit and tags.
 */
@NullMarked
package io.headgate.micrometer;

import org.jspecify.annotations.NullMarked;
