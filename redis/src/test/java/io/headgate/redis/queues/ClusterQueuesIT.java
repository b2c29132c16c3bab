package io.headgate.redis.queues;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.headgate.limits.Hold;
import io.headgate.limits.InFlightLimiter;
import io.headgate.queues.Codec;
import io.headgate.queues.Durability;
import io.headgate.queues.JobQueue;
import io.headgate.queues.NewJob;
import io.headgate.queues.QueueException;
import io.headgate.queues.QueueSettings;
import io.headgate.queues.streams.ConsumerGroup;
import io.headgate.queues.streams.EventStream;
import io.headgate.queues.streams.NewEntry;
import io.headgate.queues.worker.Worker;
import io.headgate.redis.RedisSettings;
import io.headgate.redis.limits.RedisLimitEngine;
import io.headgate.testkit.Await;
import io.headgate.testkit.RedisCluster;
import io.headgate.testkit.RedisProbe;
import io.headgate.testkit.RedisServer;
import io.headgate.testkit.SlotMove;
import io.headgate.testkit.conditions.ServerVersionSensitive;
import java.time.Duration;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Queues, streams and in-flight limits on a real Cluster. */
@Timeout(120)
class ClusterQueuesIT {

    private static final Duration LONG = Duration.ofSeconds(30);

    private static RedisCluster cluster;
    private static RedisQueueEngine engine;

    private final Map<String, Integer> handled = new ConcurrentHashMap<>();

    @BeforeAll
    static void start() {
        // A long timeout, so that a busy test machine does not cause a failover.
        cluster = RedisCluster.start("--cluster-node-timeout", "20000");
        engine = engine();
    }

    @AfterAll
    static void stop() {
        engine.close();
        cluster.close();
    }

    private void count(String payload) {
        handled.merge(payload, 1, Integer::sum);
    }

    private void awaitHandled(int count) {
        Await.until("all to be handled", LONG, () -> handled.size() == count);
        assertThat(handled.values()).allMatch(times -> times == 1);
    }

    @Test
    void a_queue_of_several_shards_has_them_on_all_masters_and_workers_handle_every_job_once() throws Exception {
        JobQueue<String> queue = engine.queue(QueueSettings.of("orders").withShards(16), Codec.text());
        try (Worker one = Worker.of(queue).start(job -> count(job.payload()));
                RedisQueueEngine others = engine();
                Worker other = Worker.of(others.queue("orders", Codec.text())).start(job -> count(job.payload()))) {
            assertThat(one).isNotSameAs(other);
            IntStream.range(0, 500).forEach(i -> queue.enqueue("job" + i));
            awaitHandled(500);
        }
        assertThat(engine.names()).contains("orders");
        for (RedisServer master : cluster.masters()) {
            try (RedisProbe probe = RedisProbe.of(master.url())) {
                assertThat(String.valueOf(probe.command("KEYS", "hg:q:{orders*")))
                        .contains("hg:q:{orders");
            }
        }
    }

    @Test
    void workers_handle_every_job_of_every_tenant_once_whatever_node_it_is_on() throws Exception {
        JobQueue<String> queue = engine.queue(QueueSettings.of("tenants").withShards(4), Codec.text());
        IntStream.range(0, 200)
                .forEach(i -> queue.enqueue(NewJob.of("tenant job" + i).tenant("t" + i % 7)));
        assertThat(queue.counts().ready()).isEqualTo(200);
        assertThat(queue.audit().findings()).isEmpty();
        try (Worker worker = Worker.of(engine.queue("tenants", Codec.text())).start(job -> count(job.payload()))) {
            assertThat(worker).isNotNull();
            awaitHandled(200);
        }
    }

    @Test
    void an_idle_worker_is_woken_whichever_node_it_is_subscribed_to() throws Exception {
        for (String name : new String[] {"wake-a", "wake-b", "wake-c", "wake-d"}) {
            JobQueue<String> queue = engine.queue(name, Codec.text());
            AtomicInteger woken = new AtomicInteger();
            try (Worker worker = Worker.of(queue).start(job -> woken.incrementAndGet())) {
                assertThat(worker).isNotNull();
                // Without signals, a worker would handle one job a second, and the test would exceed its timeout.
                for (int i = 1; i <= 150; i++) {
                    int count = i;
                    queue.enqueue("job" + i);
                    Await.until("it to be handled", LONG, () -> woken.get() == count);
                }
            }
        }
    }

    @Test
    @ServerVersionSensitive
    void a_durable_queue_waits_for_replicas_of_the_master_that_stores_it() {
        for (int i = 0; i < 6; i++) {
            JobQueue<String> queue = engine.queue(
                    QueueSettings.of("safe" + i).withDurability(Durability.replicas(1, Duration.ofSeconds(20))),
                    Codec.text());
            queue.enqueue("one");
            RedisServer master = cluster.masterOf("hg:q:{safe" + i + "}");
            try (RedisProbe probe = RedisProbe.of(master.url())) {
                assertThat(probe.commandCalls().get("WAIT")).isPositive();
            }
        }
        JobQueue<String> queue = engine.queue(
                QueueSettings.of("doubtful").withDurability(Durability.replicas(2, Duration.ofMillis(50))),
                Codec.text());
        assertThatThrownBy(() -> queue.enqueue("one"))
                .isInstanceOf(QueueException.class)
                .hasMessageContaining("only 1 of 2 replicas confirmed");
    }

    @Test
    @ServerVersionSensitive
    void a_queue_whose_slot_moves_loses_no_job_and_hands_out_none_twice() throws Exception {
        JobQueue<String> queue = engine.queue("moving", Codec.text());
        JobQueue<String> safe = engine.queue(
                QueueSettings.of("moving").withDurability(Durability.replicas(1, Duration.ofSeconds(20))),
                Codec.text());
        int slot = cluster.slotOf("hg:q:{moving}");
        RedisServer from = cluster.masterOf(slot);
        RedisServer to = cluster.masters().stream()
                .filter(master -> !master.equals(from))
                .findFirst()
                .orElseThrow();
        AtomicInteger enqueued = new AtomicInteger();
        AtomicBoolean stopped = new AtomicBoolean();
        try (Worker worker = Worker.of(queue).start(job -> count(job.payload()))) {
            assertThat(worker).isNotNull();
            CompletableFuture<Void> traffic = CompletableFuture.runAsync(() -> {
                while (!stopped.get()) {
                    int job = enqueued.get();
                    (job % 2 == 0 ? queue : safe).enqueue("job" + job);
                    enqueued.incrementAndGet();
                }
            });
            for (RedisServer target : new RedisServer[] {to, from}) {
                awaitMore(enqueued);
                SlotMove move = cluster.beginMove(slot, target);
                move.moveKeys(1);
                move.finish();
                awaitMore(enqueued);
            }
            stopped.set(true);
            traffic.join();
            awaitHandled(enqueued.get());
        }
    }

    private static void awaitMore(AtomicInteger enqueued) {
        int before = enqueued.get();
        Await.until("more jobs", LONG, () -> enqueued.get() > before + 20);
    }

    @Test
    void a_group_handles_every_entry_of_a_stream_once() throws Exception {
        EventStream<String> stream = engine.stream("events", Codec.text());
        ConsumerGroup<String> billing = stream.group("billing");
        try (Worker worker = Worker.of(billing).start(job -> count(job.payload()))) {
            assertThat(worker).isNotNull();
            stream.produceAll(
                    IntStream.range(0, 200).mapToObj(i -> NewEntry.of("e" + i)).toList());
            awaitHandled(200);
        }
        assertThat(engine.streamNames()).containsExactly("events");
    }

    @Test
    void a_worker_subscribes_to_another_node_when_its_node_dies() throws Exception {
        try (RedisQueueEngine own = engine();
                Worker worker = Worker.of(own.queue("listened", Codec.text())).start(job -> count(job.payload()))) {
            assertThat(worker).isNotNull();
            RedisServer first = subscribedNode();
            first.kill();
            assertThat(subscribedNode()).isNotEqualTo(first);
            first.restart();
            cluster.awaitOk(LONG);
        }
    }

    /** Waits for a worker that is subscribed to the signals (Pub/Sub messages) of the queue {@code listened}, and returns its node. */
    private static RedisServer subscribedNode() {
        AtomicReference<RedisServer> found = new AtomicReference<>();
        Await.until("a worker to subscribe", LONG, () -> {
            cluster.nodes().stream()
                    .filter(RedisServer::isAlive)
                    .filter(ClusterQueuesIT::hasSubscriber)
                    .forEach(found::set);
            return found.get() != null;
        });
        return Objects.requireNonNull(found.get());
    }

    private static boolean hasSubscriber(RedisServer node) {
        try (RedisProbe probe = RedisProbe.of(node.url())) {
            return String.valueOf(probe.command("PUBSUB", "CHANNELS", "hg:q:{listened}"))
                    .contains("listened");
        }
    }

    private static RedisQueueEngine engine() {
        return RedisQueueEngine.connect(
                RedisSettings.of(cluster.url() + "?timeout=20s").withTimeout(LONG));
    }

    @Test
    void in_flight_limits_are_shared_and_a_waiting_request_is_woken() {
        try (RedisLimitEngine here = RedisLimitEngine.connect(
                        RedisSettings.of(cluster.url() + "?timeout=20s").withTimeout(LONG));
                RedisLimitEngine there = RedisLimitEngine.connect(
                        RedisSettings.of(cluster.url() + "?timeout=20s").withTimeout(LONG))) {
            InFlightLimiter one = here.inFlight("exports", 1);
            InFlightLimiter other = there.inFlight("exports", 1);
            Hold held = one.tryAcquire("a");
            assertThat(held.allowed()).isTrue();
            assertThat(other.tryAcquire("a").allowed()).isFalse();
            CompletableFuture<Hold> waiting = other.async().acquire("a", LONG).toCompletableFuture();
            held.release();
            assertThat(waiting.join().allowed()).isTrue();
        }
    }
}
