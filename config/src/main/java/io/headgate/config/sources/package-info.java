/** Sources of policies, such as a file, and the application of new versions while a process runs. */
@NullMarked
package io.headgate.config.sources;

import org.jspecify.annotations.NullMarked;
