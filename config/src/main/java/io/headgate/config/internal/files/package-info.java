/** Reads local files of policies with the files that they include. */
@NullMarked
package io.headgate.config.internal.files;

import org.jspecify.annotations.NullMarked;
