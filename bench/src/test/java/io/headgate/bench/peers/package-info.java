@NullMarked
package io.headgate.bench.peers;

import org.jspecify.annotations.NullMarked;
