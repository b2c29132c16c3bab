/**
 * Models of limits that tests compare with the engines. They are written to be obviously right, not to be fast: {@link
 * io.headgate.testkit.model.LimitModel}.
 *
 * <p>A model shares no arithmetic with any engine, so that the same error in both is unlikely.
 */
@NullMarked
package io.headgate.testkit.model;

import org.jspecify.annotations.NullMarked;
