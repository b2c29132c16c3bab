@NullMarked
package io.headgate.config.settings;

import org.jspecify.annotations.NullMarked;
