@NullMarked
package io.headgate.spring.samples;

import org.jspecify.annotations.NullMarked;
