@NullMarked
package io.headgate.testkit.internal;

import org.jspecify.annotations.NullMarked;
