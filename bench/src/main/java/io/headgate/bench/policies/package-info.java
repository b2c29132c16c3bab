/** How long thousands of policies take to load and to change, and how much memory they need. */
@NullMarked
package io.headgate.bench.policies;

import org.jspecify.annotations.NullMarked;
