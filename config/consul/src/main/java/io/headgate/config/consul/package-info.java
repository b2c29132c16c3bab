/** Policies that servers and applications share through Consul. */
@NullMarked
package io.headgate.config.consul;

import org.jspecify.annotations.NullMarked;
