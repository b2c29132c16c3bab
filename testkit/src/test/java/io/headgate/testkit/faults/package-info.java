@NullMarked
package io.headgate.testkit.faults;

import org.jspecify.annotations.NullMarked;
