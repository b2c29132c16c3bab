package io.headgate.server.redis;

import static org.assertj.core.api.Assertions.assertThat;

import io.headgate.testkit.RedisServer;
import io.headgate.testkit.faults.FaultProxy;
import java.time.Duration;
import org.junit.jupiter.api.Test;

/** The connection of the doctor and of plans. */
class RedisInspectorIT {

    @Test
    void a_connection_that_is_closed_at_once_is_replaced() {
        try (RedisServer redis = RedisServer.startOwn();
                FaultProxy proxy = FaultProxy.before(redis.url())) {
            proxy.cutNextRequestOf("PING");
            try (RedisInspector inspector =
                    RedisInspector.connect(RedisInspector.parse(proxy.url()), Duration.ofSeconds(4))) {
                assertThat(inspector.call("PING").text()).isEqualTo("PONG");
            }
        }
    }
}
