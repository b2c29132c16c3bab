/** Finds the overrides that apply to a request, and what an engine prepares for each combination of them. */
@NullMarked
package io.headgate.limits.internal.overrides;

import org.jspecify.annotations.NullMarked;
