@NullMarked
package io.headgate.http.attributes;

import org.jspecify.annotations.NullMarked;
