@NullMarked
package io.headgate.bench.limits;

import org.jspecify.annotations.NullMarked;
