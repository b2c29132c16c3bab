/** The arithmetic of each kind of limit, without storage, locks or clocks. */
@NullMarked
package io.headgate.limits.internal.algorithm;

import org.jspecify.annotations.NullMarked;
