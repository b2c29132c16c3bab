/** Tests of the pictures. */
@NullMarked
package io.headgate.bench.pictures;

import org.jspecify.annotations.NullMarked;
