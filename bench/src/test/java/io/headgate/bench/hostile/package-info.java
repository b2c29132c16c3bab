@NullMarked
package io.headgate.bench.hostile;

import org.jspecify.annotations.NullMarked;
