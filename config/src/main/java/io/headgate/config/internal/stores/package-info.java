/** Versions of policies in a key-value store: what all such stores share. */
@NullMarked
package io.headgate.config.internal.stores;

import org.jspecify.annotations.NullMarked;
