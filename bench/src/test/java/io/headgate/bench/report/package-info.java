@NullMarked
package io.headgate.bench.report;

import org.jspecify.annotations.NullMarked;
