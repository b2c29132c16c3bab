/** What bounds the memory that clients can take: Netty handlers before the HTTP codecs, and the exit on an OutOfMemoryError. */
@NullMarked
package io.headgate.server.net;

import org.jspecify.annotations.NullMarked;
