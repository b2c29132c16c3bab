/** Decisions as the engines create them. */
@NullMarked
package io.headgate.limits.internal.decision;

import org.jspecify.annotations.NullMarked;
