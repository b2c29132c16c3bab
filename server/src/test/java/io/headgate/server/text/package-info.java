@NullMarked
package io.headgate.server.text;

import org.jspecify.annotations.NullMarked;
