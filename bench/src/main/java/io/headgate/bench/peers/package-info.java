/** What Headgate is compared with: other libraries, and the floors that no library can go below. */
@NullMarked
package io.headgate.bench.peers;

import org.jspecify.annotations.NullMarked;
