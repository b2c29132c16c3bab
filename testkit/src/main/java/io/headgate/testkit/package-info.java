/**
 * Tools for tests of flow control: a real {@link io.headgate.testkit.RedisServer Redis}, {@link
 * io.headgate.testkit.RedisCluster Cluster}, {@link io.headgate.testkit.RedisSentinels Sentinel deployment} and {@link
 * io.headgate.testkit.TlsRedis Redis with TLS}; a {@link io.headgate.testkit.RedisProbe probe} that reads what Redis stores; a
 * {@link io.headgate.testkit.ManualClock manual clock}; {@link io.headgate.testkit.Decisions decisions}; and {@link
 * io.headgate.testkit.ChildJvm child JVMs} that a test can pause and kill.
 *
 * <p>{@link io.headgate.testkit.faults} has network and server faults. For tests and demos only. Only
 * {@code io.headgate.testkit.conditions} needs JUnit. A wait that times out throws an {@link java.lang.AssertionError}, which every
 * test framework reports.
 */
@NullMarked
package io.headgate.testkit;

import org.jspecify.annotations.NullMarked;
