package io.headgate.testkit;

import static org.assertj.core.api.Assertions.assertThat;

import io.headgate.testkit.conditions.ServerVersionSensitive;
import java.time.Duration;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@ServerVersionSensitive
@Timeout(180)
class RedisSentinelsIT {

    private static final Duration LONG = Duration.ofSeconds(60);

    @Test
    void a_killed_primary_is_replaced_and_restarts_as_a_replica() {
        try (RedisSentinels sentinels = RedisSentinels.start("--appendonly", "yes")) {
            assertThat(sentinels.servers()).hasSize(3);
            assertThat(sentinels.sentinels()).hasSize(3);
            assertThat(sentinels.url())
                    .isEqualTo("redis-sentinel://127.0.0.1:"
                            + sentinels.sentinels().get(0).port()
                            + ",127.0.0.1:" + sentinels.sentinels().get(1).port()
                            + ",127.0.0.1:" + sentinels.sentinels().get(2).port() + "#headgate");
            RedisServer first = sentinels.primary();
            on(first, "SET", "key", "kept");
            // WAIT does not suffice: a replica may confirm the write while it still loads the initial snapshot.
            Await.until("the replicas to have it", LONG, () -> sentinels.servers().stream()
                    .allMatch(server -> on(server, "GET", "key").equals("kept")));

            first.kill();
            RedisServer second = sentinels.awaitPromotion(first, LONG);

            assertThat(second).isNotSameAs(first);
            assertThat(on(second, "INCR", "count")).isEqualTo("1");
            assertThat(on(second, "GET", "key")).isEqualTo("kept");

            first.restart();
            sentinels.awaitWhole(LONG);
            assertThat(sentinels.primary()).isSameAs(second);
            assertThat(on(first, "GET", "count")).isEqualTo("1");
        }
    }

    @Test
    void a_paused_primary_is_replaced() {
        try (RedisSentinels sentinels = RedisSentinels.start()) {
            RedisServer first = sentinels.primary();
            first.pause();
            assertThat(sentinels.awaitPromotion(first, LONG)).isNotSameAs(first);
            first.resume();
            sentinels.awaitWhole(LONG);
        }
    }

    private static String on(RedisServer server, String... command) {
        try (RedisProbe probe = RedisProbe.of(server.url())) {
            return String.valueOf(probe.command(command));
        }
    }
}
