/** The subjects that Headgate is compared with: other libraries, and floors, which are the smallest possible costs of a call. */
@NullMarked
package io.headgate.bench.peers;

import org.jspecify.annotations.NullMarked;
