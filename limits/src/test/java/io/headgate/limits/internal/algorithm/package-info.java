@NullMarked
package io.headgate.limits.internal.algorithm;

import org.jspecify.annotations.NullMarked;
