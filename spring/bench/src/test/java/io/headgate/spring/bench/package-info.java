@NullMarked
package io.headgate.spring.bench;

import org.jspecify.annotations.NullMarked;
