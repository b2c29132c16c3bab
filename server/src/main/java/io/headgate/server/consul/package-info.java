/** The options of commands that use policies in Consul. */
@NullMarked
package io.headgate.server.consul;

import org.jspecify.annotations.NullMarked;
