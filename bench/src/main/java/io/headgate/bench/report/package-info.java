/** The readings of a comparison, its target figures, and the report that prints both. */
@NullMarked
package io.headgate.bench.report;

import org.jspecify.annotations.NullMarked;
