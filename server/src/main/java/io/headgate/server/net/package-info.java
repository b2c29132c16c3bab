/** Bounds of the memory that clients can take: Netty handlers before the HTTP codecs, and the exit at an OutOfMemoryError. */
@NullMarked
package io.headgate.server.net;

import org.jspecify.annotations.NullMarked;
