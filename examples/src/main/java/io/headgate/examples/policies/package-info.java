/** Policies whose limits come from a file, or change while the program runs. */
@NullMarked
package io.headgate.examples.policies;

import org.jspecify.annotations.NullMarked;
