@NullMarked
package io.headgate.limits.internal;

import org.jspecify.annotations.NullMarked;
