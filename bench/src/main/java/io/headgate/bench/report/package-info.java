/** What a comparison measured, the figures that were promised, and how both are printed. */
@NullMarked
package io.headgate.bench.report;

import org.jspecify.annotations.NullMarked;
