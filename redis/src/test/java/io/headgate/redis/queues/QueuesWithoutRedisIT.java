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

/** Workers, durable queues and durable groups start while Redis is down, and no call blocks on a connection attempt. */
@Timeout(120)
@ServerVersionSensitive
class QueuesWithoutRedisIT {

    private static final Duration LONG = Duration.ofSeconds(60);
    private static final Durability CONFIRMED = Durability.replicas(1, Duration.ofSeconds(5));

    private final Replicated redis = new Replicated();
    private final FaultProxy proxy = FaultProxy.before(redis.primary.url());
    private final Set<String> handled = ConcurrentHashMap.newKeySet();
    private final AtomicInteger troubles = new AtomicInteger();
    private final WorkerListener listener = new WorkerListener() {
        @Override
        public void onQueueError(QueueException problem) {
            troubles.incrementAndGet();
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

    private Worker work(JobQueue<String> queue) {
        return Worker.of(queue).listener(listener).start(job -> handled.add(job.payload()));
    }

    private static boolean isEnqueued(JobQueue<String> queue, String job) {
        try {
            queue.enqueue(job);
            return true;
        } catch (QueueException e) {
            return false;
        }
    }

    private void goesOn(JobQueue<String> queue, Runnable mending) {
        try (Worker worker = work(queue)) {
            assertThat(worker).isNotNull();
            Await.until("it is in trouble", LONG, () -> troubles.get() > 1);
            assertThatThrownBy(() -> queue.enqueue("too soon"))
                    .isInstanceOfSatisfying(QueueException.class, failure -> assertThat(failure.mayBeDone())
                            .isFalse());
            mending.run();
            Await.until("a job is taken", LONG, () -> isEnqueued(queue, "a"));
            Await.until("it is handled", LONG, () -> handled.contains("a"));
        }
        assertThat(handled).containsExactly("a");
    }

    private long confirmations() {
        return redis.onPrimary.commandCalls().getOrDefault("WAIT", 0L);
    }

    @Test
    void a_worker_and_a_durable_queue_start_without_redis_and_continue_when_it_is_up() {
        proxy.refuseConnections();
        try (RedisQueueEngine engine = engine(proxy.url())) {
            goesOn(durable(engine), proxy::resume);
            assertThat(confirmations()).isPositive();
            Await.until("it receives signals", LONG, () -> String.valueOf(
                            redis.onPrimary.command("PUBSUB", "NUMSUB", "hg:q:{orders}"))
                    .contains("1"));
        }
    }

    @Test
    void so_they_do_where_nothing_answers() {
        proxy.holdReplies();
        try (RedisQueueEngine engine = engine(proxy.url() + "?timeout=300ms")) {
            goesOn(durable(engine), proxy::resume);
        }
    }

    @Test
    void so_they_do_by_an_applications_own_client() {
        proxy.refuseConnections();
        RedisClient own = RedisClient.create(proxy.url());
        try (RedisQueueEngine engine =
                RedisQueueEngine.connect(RedisSettings.of(own).withRequiredConnection(false))) {
            goesOn(durable(engine), proxy::resume);
        } finally {
            own.shutdown(Duration.ZERO, Duration.ofSeconds(2));
        }
    }

    @Test
    void so_do_durable_streams_and_groups() {
        proxy.refuseConnections();
        try (RedisQueueEngine engine = engine(proxy.url())) {
            EventStream<String> stream =
                    engine.stream(StreamSettings.of("events").withDurability(CONFIRMED), Codec.text());
            ConsumerGroup<String> group =
                    stream.group(GroupSettings.of("billing").withDurability(CONFIRMED));
            try (Worker worker = Worker.of(group).listener(listener).start(job -> handled.add(job.payload()))) {
                assertThat(worker).isNotNull();
                Await.until("it is in trouble", LONG, () -> troubles.get() > 1);
                assertThatThrownBy(() -> stream.produce("too soon")).isInstanceOf(QueueException.class);
                proxy.resume();
                Await.until("an entry is taken", LONG, () -> {
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
    void so_they_do_while_no_sentinel_is_there() {
        try (RedisSentinels sentinels = RedisSentinels.start()) {
            sentinels.sentinels().forEach(RedisServer::kill);
            try (RedisQueueEngine engine = engine(sentinels.url())) {
                goesOn(durable(engine), sentinels.sentinels().get(1)::restart);
            }
        }
    }

    @Test
    void so_they_do_while_no_node_of_a_cluster_is_there() {
        try (RedisCluster cluster = RedisCluster.start();
                FaultProxy node =
                        FaultProxy.before(cluster.masterOf("hg:q:{orders}").url())) {
            node.refuseConnections();
            try (RedisQueueEngine engine = engine(node.url().replace("redis:", "redis-cluster:"))) {
                goesOn(durable(engine), node::resume);
            }
        }
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void a_worker_and_an_engine_that_are_closed_while_redis_is_gone_wait_for_nothing(boolean refused) {
        if (refused) {
            proxy.refuseConnections();
        } else {
            proxy.ignoreConnections();
        }
        try (RedisQueueEngine engine = engine(proxy.url() + "?timeout=300ms")) {
            Worker worker = work(durable(engine));
            Await.until("it is in trouble", LONG, () -> troubles.get() > 0);
            // Longer than this test may take.
            worker.close(Duration.ofMinutes(5));
        }
        Await.until("no attempt is left", LONG, () -> connecting() == 0);
        proxy.resume();
        assertThat(proxy.connectionsOpen()).isZero();
    }

    @Test
    void what_redis_can_not_confirm_is_an_error_as_soon_as_it_is_there() {
        try (RedisQueueEngine engine = engine(redis.replica.url())) {
            assertThatThrownBy(() -> durable(engine))
                    .isInstanceOf(QueueException.class)
                    .hasMessageContaining("WAIT cannot be used with replica instances");
        }
    }

    /** The application's client waits a minute for who takes its connection and says nothing. */
    @Test
    void no_call_blocks_on_a_connection_attempt_and_a_late_connection_is_closed() {
        RedisClient own = RedisClient.create(proxy.url());
        try {
            RedisQueueEngine engine =
                    RedisQueueEngine.connect(RedisSettings.of(own).withRequiredConnection(false));
            JobQueue<String> plain = engine.queue("plain", Codec.text());
            proxy.holdReplies();
            CompletableFuture<JobQueue<String>> opening = CompletableFuture.supplyAsync(() -> durable(engine));
            try (Worker worker = work(plain);
                    Worker another = work(plain)) {
                assertThat(worker).isNotSameAs(another);
                proxy.awaitConnections(3, LONG);
            }
            engine.close();
            assertThat(opening).isNotDone();
            Await.until("only those that are being made are there", LONG, () -> proxy.connectionsOpen() == 2);
            proxy.resume();
            Await.until("both are closed", LONG, () -> proxy.connectionsOpen() == 0);
            Await.until("the caller that connected continues", LONG, opening::isDone);
        } finally {
            own.shutdown(Duration.ZERO, Duration.ofSeconds(2));
        }
    }

    private static long connecting() {
        return Thread.getAllStackTraces().keySet().stream()
                .filter(thread -> Set.of("headgate-connect", "headgate-signals").contains(thread.getName()))
                .count();
    }
}
