/** Tests of what no single module can test: the structure of all modules, and the language of their sources and guides. */
@NullMarked
package io.headgate.architecture;

import org.jspecify.annotations.NullMarked;
