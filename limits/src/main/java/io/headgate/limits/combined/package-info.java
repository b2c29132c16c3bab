/** Requests that several policies decide together. */
@NullMarked
package io.headgate.limits.combined;

import org.jspecify.annotations.NullMarked;
