/** Reads YAML into a tree whose nodes keep their positions, and collects errors that name them. */
@NullMarked
package io.headgate.config.internal.yaml;

import org.jspecify.annotations.NullMarked;
