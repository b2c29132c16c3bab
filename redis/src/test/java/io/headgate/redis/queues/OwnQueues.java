package io.headgate.redis.queues;

import io.headgate.queues.Codec;
import io.headgate.queues.Queue;
import io.headgate.queues.QueueSettings;
import io.headgate.testkit.ManualClock;
import io.headgate.testkit.RedisProbe;
import io.headgate.testkit.RedisServer;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.TreeMap;
import org.junit.jupiter.api.extension.AfterEachCallback;
import org.junit.jupiter.api.extension.BeforeEachCallback;
import org.junit.jupiter.api.extension.ExtensionContext;

/** An empty Redis before each test, with an engine that goes by a clock of the test's. */
final class OwnQueues implements BeforeEachCallback, AfterEachCallback {

    static final Instant START = Instant.parse("2026-11-21T12:00:00Z");

    private static final RedisServer REDIS = RedisServer.startOwn();

    final ManualClock clock = ManualClock.at(START);
    final RedisProbe probe = RedisProbe.of(REDIS.url());
    private final RedisQueues engine = RedisQueues.builder()
            .url(REDIS.url())
            .timeout(Duration.ofSeconds(30))
            .timeMicros(clock::nowMicros)
            .build();

    @Override
    public void beforeEach(ExtensionContext context) {
        probe.flushAll();
    }

    @Override
    public void afterEach(ExtensionContext context) {
        engine.close();
        probe.close();
    }

    String url() {
        return REDIS.url();
    }

    Queue<String> queue() {
        return queue(QueueSettings.of("orders"));
    }

    /** All that is stored of queues, so that two states can be compared; their names are noted a moment later. */
    Map<String, String> stored() {
        Map<String, String> stored = new TreeMap<>();
        for (Object key : (List<?>) Objects.requireNonNull(probe.command("KEYS", "hg:q:*"))) {
            byte[] name = String.valueOf(key).getBytes(StandardCharsets.UTF_8);
            byte[] dump =
                    (byte[]) Objects.requireNonNull(probe.commandBytes("DUMP".getBytes(StandardCharsets.UTF_8), name));
            stored.put(String.valueOf(key), HexFormat.of().formatHex(dump));
        }
        return stored;
    }

    <T> Queue<T> queue(String name, Codec<T> codec) {
        return engine.queue(name, codec);
    }

    Queue<String> queue(QueueSettings settings) {
        return engine.queue(settings, Codec.text());
    }
}
