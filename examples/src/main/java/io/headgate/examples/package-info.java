/** Small programs that the guides show; the build compiles them and runs them on a real Redis. */
@NullMarked
package io.headgate.examples;

import org.jspecify.annotations.NullMarked;
