/** The subjects that Headgate is compared with: other libraries, and floors that no library can undercut. */
@NullMarked
package io.headgate.bench.peers;

import org.jspecify.annotations.NullMarked;
