/** {@code headgate doctor}: the checks of a Redis, one class for each topic. */
@NullMarked
package io.headgate.server.doctor;

import org.jspecify.annotations.NullMarked;
