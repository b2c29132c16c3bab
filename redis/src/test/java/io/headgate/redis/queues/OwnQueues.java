package io.headgate.redis.queues;

import io.headgate.queues.Codec;
import io.headgate.queues.JobQueue;
import io.headgate.queues.NewJob;
import io.headgate.queues.QueueSettings;
import io.headgate.queues.inspect.QueueCounts;
import io.headgate.queues.streams.EventStream;
import io.headgate.redis.RedisSettings;
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
import java.util.stream.IntStream;
import org.junit.jupiter.api.extension.AfterEachCallback;
import org.junit.jupiter.api.extension.BeforeEachCallback;
import org.junit.jupiter.api.extension.ExtensionContext;

/** Empties a Redis before each test, and opens queues whose time is a clock of the test or the clock of Redis. */
public final class OwnQueues implements BeforeEachCallback, AfterEachCallback {

    public static final Instant START = Instant.parse("2026-11-21T12:00:00Z");

    private static final RedisServer REDIS = RedisServer.startOwn();

    public final ManualClock clock = ManualClock.at(START);
    public final RedisProbe probe = RedisProbe.of(REDIS.url());
    private final RedisQueueEngine engine;

    public OwnQueues() {
        engine = builder().timeMicros(clock::nowMicros).build();
    }

    private OwnQueues(RedisQueueEngine engine) {
        this.engine = engine;
    }

    public static OwnQueues withClockOfRedis() {
        return new OwnQueues(builder().build());
    }

    private static RedisQueueEngine.Builder builder() {
        return RedisQueueEngine.builder(RedisSettings.of(REDIS.url()).withTimeout(Duration.ofSeconds(30)));
    }

    @Override
    public void beforeEach(ExtensionContext context) {
        probe.flushAll();
    }

    @Override
    public void afterEach(ExtensionContext context) {
        engine.close();
        probe.close();
    }

    public String url() {
        return REDIS.url();
    }

    /** Suspends the server until it is resumed. */
    public void pause() {
        REDIS.pause();
    }

    public void resume() {
        REDIS.resume();
    }

    public JobQueue<String> queue() {
        return queue(QueueSettings.of("orders"));
    }

    /** Enqueues "job0", "job1", and so on, all due immediately. */
    static void enqueue(JobQueue<String> queue, int jobs) {
        for (int from = 0; from < jobs; from += 500) {
            queue.enqueueAll(IntStream.range(from, Math.min(jobs, from + 500))
                    .mapToObj(i -> NewJob.of("job" + i))
                    .toList());
        }
    }

    /** Whether no job waits or is leased. */
    static boolean isEmpty(JobQueue<?> queue) {
        QueueCounts counts = queue.counts();
        return counts.ready() + counts.delayed() + counts.leased() == 0;
    }

    /** Returns the number of connections that are subscribed to the signals of a queue, which are Pub/Sub messages. */
    long subscribers(String name) {
        List<?> reply = (List<?>) Objects.requireNonNull(probe.command("PUBSUB", "NUMSUB", "hg:q:{" + name + "}"));
        return (Long) Objects.requireNonNull(reply.get(1));
    }

    /**
     * Returns all keys of queues with their dumped values, to compare two states. Names of queues, which are registered a moment later, are
     * not included.
     */
    public Map<String, String> stored() {
        Map<String, String> stored = new TreeMap<>();
        for (Object key : (List<?>) Objects.requireNonNull(probe.command("KEYS", "hg:q:*"))) {
            byte[] name = String.valueOf(key).getBytes(StandardCharsets.UTF_8);
            byte[] dump =
                    (byte[]) Objects.requireNonNull(probe.commandBytes("DUMP".getBytes(StandardCharsets.UTF_8), name));
            stored.put(String.valueOf(key), HexFormat.of().formatHex(dump));
        }
        return stored;
    }

    public <T> JobQueue<T> queue(String name, Codec<T> codec) {
        return engine.queue(name, codec);
    }

    EventStream<String> stream(String name) {
        return engine.stream(name, Codec.text());
    }

    public JobQueue<String> queue(QueueSettings settings) {
        return engine.queue(settings, Codec.text());
    }
}
