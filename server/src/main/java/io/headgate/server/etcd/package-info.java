/** The options of commands that use policies in etcd. */
@NullMarked
package io.headgate.server.etcd;

import org.jspecify.annotations.NullMarked;
