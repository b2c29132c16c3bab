@NullMarked
package io.headgate.limits.hotkeys;

import org.jspecify.annotations.NullMarked;
