@NullMarked
package io.headgate.bench.faults;

import org.jspecify.annotations.NullMarked;
