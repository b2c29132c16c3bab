@NullMarked
package io.headgate.http;

import org.jspecify.annotations.NullMarked;
