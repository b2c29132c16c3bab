@NullMarked
package io.headgate.redis;

import org.jspecify.annotations.NullMarked;
