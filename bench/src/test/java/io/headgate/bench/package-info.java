@NullMarked
package io.headgate.bench;

import org.jspecify.annotations.NullMarked;
