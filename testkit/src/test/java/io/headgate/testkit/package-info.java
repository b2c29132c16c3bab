@NullMarked
package io.headgate.testkit;

import org.jspecify.annotations.NullMarked;
