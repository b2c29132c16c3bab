@NullMarked
package io.headgate.limits.internal.memory;

import org.jspecify.annotations.NullMarked;
