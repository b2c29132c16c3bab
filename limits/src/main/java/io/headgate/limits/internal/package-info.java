/** Shared code of limits and engines. Not part of the API: it may change at any time. */
@NullMarked
package io.headgate.limits.internal;

import org.jspecify.annotations.NullMarked;
