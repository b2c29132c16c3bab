@NullMarked
package io.headgate.examples;

import org.jspecify.annotations.NullMarked;
