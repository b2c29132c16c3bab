package io.headgate.redis.queues;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.headgate.queues.Codec;
import io.headgate.queues.Durability;
import io.headgate.queues.JobQueue;
import io.headgate.queues.QueueException;
import io.headgate.queues.QueueSettings;
import io.headgate.queues.streams.ConsumerGroup;
import io.headgate.queues.streams.EventStream;
import io.headgate.queues.streams.GroupSettings;
import io.headgate.queues.streams.StreamSettings;
import io.headgate.queues.worker.Worker;
import io.headgate.queues.worker.WorkerListener;
import io.headgate.redis.RedisSettings;
import io.headgate.testkit.Await;
import io.headgate.testkit.RedisCluster;
import io.headgate.testkit.RedisSentinels;
import io.headgate.testkit.RedisServer;
import io.headgate.testkit.conditions.ServerVersionSensitive;
import io.headgate.testkit.faults.FaultProxy;
import io.lettuce.core.RedisClient;
import java.time.Duration;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Workers, durable queues and durable groups start while Redis is down, and neither workers nor {@code close()} block on a connection
 * attempt.
 */
@Timeout(120)
@ServerVersionSensitive
class QueuesWithoutRedisIT {

    private static final Duration LONG = Duration.ofSeconds(60);
    private static final Durability CONFIRMED = Durability.replicas(1, Duration.ofSeconds(5));

    private final ReplicatedRedis redis = new ReplicatedRedis();
    private final FaultProxy proxy = FaultProxy.before(redis.primary.url());
    private final Set<String> handled = ConcurrentHashMap.newKeySet();
    private final AtomicInteger errors = new AtomicInteger();
    private final WorkerListener listener = new WorkerListener() {
        @Override
        public void onQueueError(QueueException problem) {
            errors.incrementAndGet();
        }
    };

    @AfterEach
    void stop() {
        proxy.close();
        redis.close();
    }

    private static RedisQueueEngine engine(String url) {
        return RedisQueueEngine.connect(RedisSettings.of(url).withRequiredConnection(false));
    }

    private static JobQueue<String> durable(RedisQueueEngine engine) {
        return engine.queue(QueueSettings.of("orders").withDurability(CONFIRMED), Codec.text());
    }

    private Worker startWorker(JobQueue<String> queue) {
        return Worker.of(queue).listener(listener).start(job -> handled.add(job.payload()));
    }

    private static boolean tryEnqueue(JobQueue<String> queue, String job) {
        try {
            queue.enqueue(job);
            return true;
        } catch (QueueException e) {
            return false;
        }
    }

    /**
     * Asserts that before the repair a worker reports errors and a caller cannot enqueue, and that a job enqueued after the repair is
     * handled.
     */
    private void assertContinues(JobQueue<String> queue, Runnable repair) {
        try (Worker worker = startWorker(queue)) {
            assertThat(worker).isNotNull();
            Await.until("errors are reported", LONG, () -> errors.get() > 1);
            assertThatThrownBy(() -> queue.enqueue("too soon"))
                    .isInstanceOfSatisfying(QueueException.class, failure -> assertThat(failure.mayBeDone())
                            .isFalse());
            repair.run();
            Await.until("a job is enqueued", LONG, () -> tryEnqueue(queue, "a"));
            Await.until("it is handled", LONG, () -> handled.contains("a"));
        }
        assertThat(handled).containsExactly("a");
    }

    private long waitCalls() {
        return redis.onPrimary.commandCalls().getOrDefault("WAIT", 0L);
    }

    @Test
    void a_worker_and_a_durable_queue_start_without_redis_and_continue_when_it_is_up() {
        proxy.refuseConnections();
        try (RedisQueueEngine engine = engine(proxy.url())) {
            assertContinues(durable(engine), proxy::resume);
            assertThat(waitCalls()).isPositive();
            // The Pub/Sub messages that wake idle workers.
            Await.until("it receives signals", LONG, () -> String.valueOf(
                            redis.onPrimary.command("PUBSUB", "NUMSUB", "hg:q:{orders}"))
                    .contains("1"));
        }
    }

    @Test
    void a_worker_and_a_durable_queue_start_while_redis_does_not_reply() {
        proxy.holdReplies();
        try (RedisQueueEngine engine = engine(proxy.url() + "?timeout=300ms")) {
            assertContinues(durable(engine), proxy::resume);
        }
    }

    @Test
    void a_worker_and_a_durable_queue_start_without_redis_on_a_client_of_the_application() {
        proxy.refuseConnections();
        RedisClient ownClient = RedisClient.create(proxy.url());
        try (RedisQueueEngine engine =
                RedisQueueEngine.connect(RedisSettings.of(ownClient).withRequiredConnection(false))) {
            assertContinues(durable(engine), proxy::resume);
        } finally {
            ownClient.shutdown(Duration.ZERO, Duration.ofSeconds(2));
        }
    }

    @Test
    void durable_streams_and_groups_start_without_redis_and_continue_when_it_is_up() {
        proxy.refuseConnections();
        try (RedisQueueEngine engine = engine(proxy.url())) {
            EventStream<String> stream =
                    engine.stream(StreamSettings.of("events").withDurability(CONFIRMED), Codec.text());
            ConsumerGroup<String> group =
                    stream.group(GroupSettings.of("billing").withDurability(CONFIRMED));
            try (Worker worker = Worker.of(group).listener(listener).start(job -> handled.add(job.payload()))) {
                assertThat(worker).isNotNull();
                Await.until("errors are reported", LONG, () -> errors.get() > 1);
                assertThatThrownBy(() -> stream.produce("too soon")).isInstanceOf(QueueException.class);
                proxy.resume();
                Await.until("an entry is produced", LONG, () -> {
                    try {
                        stream.produce("a");
                        return true;
                    } catch (QueueException e) {
                        return false;
                    }
                });
                Await.until("it is handled", LONG, () -> handled.contains("a"));
            }
        }
    }

    @Test
    void a_worker_and_a_durable_queue_start_while_no_sentinel_is_up() {
        try (RedisSentinels sentinels = RedisSentinels.start()) {
            sentinels.sentinels().forEach(RedisServer::kill);
            try (RedisQueueEngine engine = engine(sentinels.url())) {
                assertContinues(durable(engine), sentinels.sentinels().get(1)::restart);
            }
        }
    }

    @Test
    void a_worker_and_a_durable_queue_start_while_no_node_of_a_cluster_is_reachable() {
        try (RedisCluster cluster = RedisCluster.start();
                FaultProxy node =
                        FaultProxy.before(cluster.masterOf("hg:q:{orders}").url())) {
            node.refuseConnections();
            try (RedisQueueEngine engine = engine(node.url().replace("redis:", "redis-cluster:"))) {
                assertContinues(durable(engine), node::resume);
            }
        }
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void closing_a_worker_and_an_engine_does_not_wait_while_redis_is_down(boolean refused) {
        if (refused) {
            proxy.refuseConnections();
        } else {
            proxy.ignoreConnections();
        }
        try (RedisQueueEngine engine = engine(proxy.url() + "?timeout=300ms")) {
            Worker worker = startWorker(durable(engine));
            Await.until("errors are reported", LONG, () -> errors.get() > 0);
            // A drain time beyond the timeout of this test.
            worker.close(Duration.ofMinutes(5));
        }
        Await.until("no attempt is left", LONG, () -> connectingThreads() == 0);
        proxy.resume();
        assertThat(proxy.connectionsOpen()).isZero();
    }

    @Test
    void opening_a_durable_queue_on_a_replica_fails_also_if_no_connection_is_required() {
        try (RedisQueueEngine engine = engine(redis.replica.url())) {
            assertThatThrownBy(() -> durable(engine))
                    .isInstanceOf(QueueException.class)
                    .hasMessageContaining("WAIT cannot be used with replica instances");
        }
    }

    /** The client of the application waits a minute for a server that accepts a connection but does not reply. */
    @Test
    void neither_workers_nor_close_block_on_a_connection_attempt_and_a_late_connection_is_closed() {
        RedisClient ownClient = RedisClient.create(proxy.url());
        try {
            RedisQueueEngine engine =
                    RedisQueueEngine.connect(RedisSettings.of(ownClient).withRequiredConnection(false));
            JobQueue<String> plain = engine.queue("plain", Codec.text());
            proxy.holdReplies();
            CompletableFuture<JobQueue<String>> opening = CompletableFuture.supplyAsync(() -> durable(engine));
            try (Worker worker = startWorker(plain);
                    Worker another = startWorker(plain)) {
                assertThat(worker).isNotSameAs(another);
                proxy.awaitConnections(3, LONG);
            }
            engine.close();
            assertThat(opening).isNotDone();
            Await.until("only the two that are being established are open", LONG, () -> proxy.connectionsOpen() == 2);
            proxy.resume();
            Await.until("both are closed", LONG, () -> proxy.connectionsOpen() == 0);
            Await.until("the caller that connected continues", LONG, opening::isDone);
        } finally {
            ownClient.shutdown(Duration.ZERO, Duration.ofSeconds(2));
        }
    }

    private static long connectingThreads() {
        return Thread.getAllStackTraces().keySet().stream()
                .filter(thread -> Set.of("headgate-connect", "headgate-signals").contains(thread.getName()))
                .count();
    }
}
