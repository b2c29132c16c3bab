/** A stand-in for Consul, for tests on machines without Consul. */
@NullMarked
package io.headgate.testkit.consul;

import org.jspecify.annotations.NullMarked;
