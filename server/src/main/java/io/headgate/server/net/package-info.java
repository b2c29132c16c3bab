/** What bounds the memory that clients can take, by Netty handlers before the HTTP codecs. */
@NullMarked
package io.headgate.server.net;

import org.jspecify.annotations.NullMarked;
