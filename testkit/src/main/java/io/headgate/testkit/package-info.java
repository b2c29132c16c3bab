/**
 * What tests of flow control need: a real {@link io.headgate.testkit.RedisServer Redis}, a {@link
 * io.headgate.testkit.RedisProbe look into it}, a {@link io.headgate.testkit.ManualClock clock} that stands still, a
 * {@link io.headgate.testkit.FaultProxy proxy} that breaks connections, {@link io.headgate.testkit.ChildJvm processes}
 * that can be paused and killed; real {@link io.headgate.testkit.RedisCluster Clusters} and {@link
 * io.headgate.testkit.RedisSentinels sentinels}, one that speaks {@link io.headgate.testkit.TlsRedis TLS}, and {@link
 * io.headgate.testkit.Trouble states} in which a Redis refuses.
 *
 * <p>For tests and demos only. Nothing here needs JUnit or AssertJ: a wait that runs out throws an {@link
 * java.lang.AssertionError}, which every test framework understands.
 */
@NullMarked
package io.headgate.testkit;

import org.jspecify.annotations.NullMarked;
