@NullMarked
package io.headgate.limits.internal.waiting;

import org.jspecify.annotations.NullMarked;
