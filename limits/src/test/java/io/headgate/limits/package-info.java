@NullMarked
package io.headgate.limits;

import org.jspecify.annotations.NullMarked;
