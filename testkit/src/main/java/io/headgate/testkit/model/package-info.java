/**
 * What every engine must answer, written to be obviously right and not to be fast: {@link
 * io.headgate.testkit.model.LimitModel}.
 *
 * <p>It shares no arithmetic with any engine, so that an error would have to be made twice to go unseen.
 */
@NullMarked
package io.headgate.testkit.model;

import org.jspecify.annotations.NullMarked;
