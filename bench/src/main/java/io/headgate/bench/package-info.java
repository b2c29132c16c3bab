/** Measures Headgate beside its peers, and prints what it found. */
@NullMarked
package io.headgate.bench;

import org.jspecify.annotations.NullMarked;
