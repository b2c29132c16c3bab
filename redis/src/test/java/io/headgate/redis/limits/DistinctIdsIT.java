package io.headgate.redis.limits;

import static org.assertj.core.api.Assertions.assertThat;

import io.headgate.testkit.ChildJvm;
import io.headgate.testkit.RedisServer;
import io.headgate.testkit.faults.FaultProxy;
import java.time.Duration;
import org.junit.jupiter.api.Test;

/** A client that sends a new id with every request does not exhaust a heap of 256 MiB: in memory, and while Redis is down. */
class DistinctIdsIT {

    @Test
    void the_in_memory_engine_keeps_deciding() {
        assertThat(flood("memory")).isEqualTo("allowed 600000");
    }

    @Test
    void the_local_fallback_keeps_deciding_while_redis_is_down() {
        try (RedisServer redis = RedisServer.startOwn();
                FaultProxy proxy = FaultProxy.before(redis.url())) {
            proxy.refuseConnections();
            assertThat(flood(proxy.url())).isEqualTo("allowed 600000");
        }
    }

    private static String flood(String where) {
        try (ChildJvm child = ChildJvm.of(DistinctIdsProcess.class)
                .jvmOptions("-Xmx256m", "-XX:+UseSerialGC", "-XX:+ExitOnOutOfMemoryError")
                .start(where)) {
            return child.awaitLine(line -> line.startsWith("allowed"), Duration.ofMinutes(3));
        }
    }
}
