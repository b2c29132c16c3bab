package io.headgate.redis.internal.connection;

import static org.assertj.core.api.Assertions.assertThat;

import io.headgate.testkit.Await;
import io.headgate.testkit.RedisProbe;
import io.headgate.testkit.RedisSentinels;
import io.headgate.testkit.RedisServer;
import io.headgate.testkit.faults.FaultProxy;
import io.lettuce.core.RedisClient;
import io.lettuce.core.RedisURI;
import io.lettuce.core.api.StatefulRedisConnection;
import java.time.Duration;
import java.util.Collection;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** The watch asks real Sentinels for the master, and closes exactly the connections that lead to another server. */
@Timeout(120)
class SentinelWatchIT {

    private static final Duration LONG = Duration.ofSeconds(60);

    private final RedisSentinels sentinels = RedisSentinels.start();
    private final FaultProxy proxy =
            FaultProxy.before(sentinels.sentinels().get(0).url());
    private final RedisURI uri =
            RedisURI.create(proxy.url().replace("redis:", "redis-sentinel:") + "#" + RedisSentinels.NAME);
    private final RedisClient client = RedisClient.create(uri);
    private final Set<Object> toClose = ConcurrentHashMap.newKeySet();
    private final SentinelWatch watch =
            new SentinelWatch("it", client, uri, (Collection<?> connections) -> toClose.addAll(connections));

    @AfterEach
    void close() {
        watch.close();
        client.shutdown(Duration.ZERO, Duration.ofSeconds(2));
        proxy.close();
        sentinels.close();
    }

    private void awaitChecks(int more) {
        proxy.awaitCommands("SENTINEL", proxy.commandsSeen("SENTINEL") + more, LONG);
    }

    @Test
    void only_the_connection_to_a_master_replaced_before_the_first_check_is_closed() {
        StatefulRedisConnection<String, String> before = client.connect();
        try (RedisProbe first = RedisProbe.of(sentinels.primary().url())) {
            // So that the Sentinels cannot disconnect its clients with CLIENT KILL.
            first.command("ACL", "SETUSER", "default", "-client");
            sentinels.failOver();
            StatefulRedisConnection<String, String> after = client.connect();
            // A Pub/Sub connection, which the watch ignores.
            client.connectPubSub();
            watch.start();
            Await.until("it to be closed", LONG, () -> toClose.contains(before));
            awaitChecks(3);
            assertThat(toClose).containsExactly(before);
            assertThat(after.sync().ping()).isEqualTo("PONG");
            first.command("ACL", "SETUSER", "default", "+client");
        }
    }

    @Test
    void a_connection_to_the_address_of_a_reported_host_name_stays_until_another_master_is_reported() {
        RedisServer primary = sentinels.primary();
        try (RedisProbe sentinel = RedisProbe.of(sentinels.sentinels().get(0).url())) {
            for (String option : new String[] {"resolve-hostnames", "announce-hostnames"}) {
                sentinel.command("SENTINEL", "CONFIG", "SET", option, "yes");
            }
            monitor(sentinel, primary);
            StatefulRedisConnection<String, String> connection = client.connect();
            watch.start();
            awaitChecks(6);
            assertThat(toClose).isEmpty();
            monitor(
                    sentinel,
                    sentinels.servers().stream()
                            .filter(server -> server != primary)
                            .findFirst()
                            .orElseThrow());
            Await.until("it to be closed", LONG, () -> toClose.contains(connection));
        }
    }

    private static void monitor(RedisProbe sentinel, RedisServer server) {
        sentinel.command("SENTINEL", "REMOVE", RedisSentinels.NAME);
        sentinel.command("SENTINEL", "MONITOR", RedisSentinels.NAME, "localhost", "" + server.port(), "2");
        assertThat(String.valueOf(sentinel.command("SENTINEL", "GET-MASTER-ADDR-BY-NAME", RedisSentinels.NAME)))
                .contains("localhost");
    }
}
