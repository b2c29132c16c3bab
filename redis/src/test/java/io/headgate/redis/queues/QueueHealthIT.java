package io.headgate.redis.queues;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.headgate.queues.Codec;
import io.headgate.queues.JobQueue;
import io.headgate.queues.QueueException;
import io.headgate.queues.QueueHealth;
import io.headgate.queues.QueueListener;
import io.headgate.redis.RedisSettings;
import io.headgate.testkit.Await;
import io.headgate.testkit.RedisServer;
import io.headgate.testkit.faults.FaultProxy;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** The health of a queue engine, and listeners that are added and removed while it runs. */
class QueueHealthIT {

    private static final Duration LONG = Duration.ofSeconds(60);

    private final RedisServer redis = RedisServer.startOwn();
    private final FaultProxy proxy = FaultProxy.before(redis.url());
    private final List<String> changes = new CopyOnWriteArrayList<>();
    private final AtomicInteger enqueued = new AtomicInteger();
    private final QueueListener listener = new QueueListener() {
        @Override
        public void onEnqueued(Source source, EnqueuedJobs jobs) {
            enqueued.incrementAndGet();
        }

        @Override
        public void onHealthChange(QueueHealth before, QueueHealth now, String reason) {
            changes.add(before + " " + now + ": " + reason);
        }
    };

    @AfterEach
    void close() {
        proxy.close();
        redis.close();
    }

    private RedisQueueEngine engine() {
        return RedisQueueEngine.connect(RedisSettings.of(proxy.url())
                .withTimeout(Duration.ofSeconds(10))
                .withRequiredConnection(false));
    }

    private static void awaitHealth(RedisQueueEngine engine, QueueHealth health) {
        Await.until(health.toString(), LONG, () -> engine.health() == health);
    }

    @Test
    void health_follows_the_connection_and_listeners_receive_each_change() {
        try (RedisQueueEngine engine = engine()) {
            assertThat(engine.health()).isEqualTo(QueueHealth.HEALTHY);
            engine.addListener(listener);
            proxy.refuseConnections();
            proxy.cutAll();
            awaitHealth(engine, QueueHealth.UNAVAILABLE);
            Await.until("it is reported", LONG, () -> changes.size() == 1);
            proxy.resume();
            awaitHealth(engine, QueueHealth.HEALTHY);
            Await.until("it is reported", LONG, () -> changes.size() == 2);
        }
        assertThat(changes)
                .containsExactly(
                        "HEALTHY UNAVAILABLE: not connected to " + proxy.url(),
                        "UNAVAILABLE HEALTHY: connected to " + proxy.url());
    }

    @Test
    void an_engine_that_starts_without_redis_is_unavailable_until_it_is_connected() {
        proxy.refuseConnections();
        try (RedisQueueEngine engine = RedisQueueEngine.builder(
                        RedisSettings.of(proxy.url()).withRequiredConnection(false))
                .listener(listener)
                .build()) {
            assertThat(engine.health()).isEqualTo(QueueHealth.UNAVAILABLE);
            proxy.resume();
            awaitHealth(engine, QueueHealth.HEALTHY);
            Await.until("it is reported", LONG, () -> changes.size() == 1);
        }
    }

    @Test
    void a_listener_is_added_to_queues_that_exist_and_removed_again() {
        try (RedisQueueEngine engine = engine()) {
            JobQueue<String> queue = engine.queue("mails", Codec.text());
            queue.enqueue("a");
            engine.addListener(listener);
            engine.addListener(listener);
            queue.enqueue("b");
            assertThat(enqueued).hasValue(1);
            engine.removeListener(listener);
            engine.removeListener(listener);
            queue.enqueue("c");
            assertThat(enqueued).hasValue(1);
        }
    }

    @Test
    void a_listener_that_is_added_later_receives_failures_too() {
        try (RedisQueueEngine engine = engine()) {
            JobQueue<String> queue = engine.queue("mails", Codec.text());
            queue.enqueue("a");
            AtomicInteger failed = new AtomicInteger();
            engine.addListener(new QueueListener() {
                @Override
                public void onFailed(Source source, QueueException failure) {
                    failed.incrementAndGet();
                }
            });
            proxy.cutNextReplyTo("EVALSHA");
            assertThatThrownBy(() -> queue.enqueue("b")).isInstanceOf(QueueException.class);
            assertThat(failed).hasValue(1);
        }
    }

    @Test
    void a_closed_engine_is_unavailable_and_may_be_closed_again() {
        RedisQueueEngine engine = engine();
        engine.addListener(listener);
        engine.close();
        engine.close();
        assertThat(engine.health()).isEqualTo(QueueHealth.UNAVAILABLE);
        engine.addListener(listener);
        engine.removeListener(listener);
        assertThat(changes).isEmpty();
    }
}
