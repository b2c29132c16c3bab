@NullMarked
package io.headgate.limits.internal.overrides;

import org.jspecify.annotations.NullMarked;
