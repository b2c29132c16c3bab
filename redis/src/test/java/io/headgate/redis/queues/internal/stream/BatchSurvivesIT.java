package io.headgate.redis.queues.internal.stream;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.headgate.queues.Codec;
import io.headgate.queues.Lease;
import io.headgate.queues.QueueEngine;
import io.headgate.queues.QueueException;
import io.headgate.queues.Settled;
import io.headgate.queues.streams.ConsumerGroup;
import io.headgate.queues.streams.GroupSettings;
import io.headgate.queues.streams.NewEntry;
import io.headgate.redis.RedisSettings;
import io.headgate.redis.queues.RedisQueueEngine;
import io.headgate.testkit.Await;
import io.headgate.testkit.RedisProbe;
import io.headgate.testkit.RedisServer;
import io.headgate.testkit.faults.FaultProxy;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.Supplier;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Batches of entries when a request or reply is lost, when Redis is killed, and on a replica. */
@Timeout(120)
class BatchSurvivesIT {

    private static final Duration LONG = Duration.ofSeconds(60);
    private static final int BATCH = 20;

    private static ConsumerGroup<String> group(QueueEngine queues, GroupSettings settings) {
        return queues.stream("orders", Codec.text()).group(settings);
    }

    private static QueueEngine engine(String url) {
        return RedisQueueEngine.connect(RedisSettings.of(url).withTimeout(Duration.ofSeconds(5)));
    }

    /** Produces entries and claims a maximum of them, so that the next claims read batches. */
    private static void produceABacklog(QueueEngine queues, ConsumerGroup<String> group) {
        queues.stream("orders", Codec.text())
                .produceAll(IntStream.range(0, 6 * BATCH)
                        .mapToObj(i -> NewEntry.of("e" + i))
                        .toList());
        assertThat(group.ackAll(group.claim(BATCH))).hasSize(BATCH).containsOnly(Settled.DONE);
    }

    private static List<Lease<String>> claimBatch(ConsumerGroup<String> group) {
        List<Lease<String>> leases = group.claim(BATCH);
        assertThat(leases).hasSize(BATCH);
        return leases;
    }

    /** Returns the number of pending entries by the name of the consumer. */
    private static Map<String, String> pendingByConsumer(RedisProbe probe) {
        Map<String, String> pending = new TreeMap<>();
        for (Object consumer : OwnStreams.list(probe.command("XINFO", "CONSUMERS", OwnStreams.KEY, "billing"))) {
            List<?> fields = OwnStreams.list(consumer);
            pending.put(String.valueOf(fields.get(1)), String.valueOf(fields.get(3)));
        }
        return pending;
    }

    private static long pending(QueueEngine queues) {
        return queues.stream("orders", Codec.text()).state().groups().get(0).pending();
    }

    private static void awaitReplica(RedisProbe probe) {
        probe.command("SET", "last", "");
        assertThat(probe.command("WAIT", "1", Long.toString(LONG.toMillis()))).isEqualTo(1L);
    }

    /** Repeats a call until Redis replies, and returns the result. */
    private static <R> R untilReply(Supplier<R> call) {
        List<R> answers = new ArrayList<>();
        Await.until("Redis to answer again", LONG, () -> {
            try {
                return answers.add(call.get());
            } catch (QueueException e) {
                return false;
            }
        });
        return answers.get(0);
    }

    private interface ProxyTest {
        void run(QueueEngine direct, QueueEngine queues, FaultProxy proxy);
    }

    private static void withProxy(ProxyTest test) {
        try (RedisServer redis = RedisServer.startOwn();
                FaultProxy proxy = FaultProxy.before(redis.url());
                QueueEngine direct = engine(redis.url());
                QueueEngine queues = engine(proxy.url())) {
            test.run(direct, queues, proxy);
        }
    }

    private static final GroupSettings SHORT_IDLE = GroupSettings.of("billing").withMinIdle(Duration.ofMillis(400));
    private static final GroupSettings LONG_IDLE = GroupSettings.of("billing");

    @Test
    void an_ack_whose_reply_was_lost_has_taken_effect_and_a_retry_reports_lost_leases() {
        withProxy((direct, queues, proxy) -> {
            ConsumerGroup<String> billing = group(queues, LONG_IDLE);
            produceABacklog(direct, billing);
            List<Lease<String>> leases = claimBatch(billing);
            claimBatch(billing);
            proxy.cutNextReplyTo("EVALSHA");
            assertThatThrownBy(() -> billing.ackAll(leases)).isInstanceOf(QueueException.class);
            assertThat(pending(direct)).isEqualTo(BATCH);
            assertThat(untilReply(() -> pending(queues))).isEqualTo(BATCH);
            assertThat(billing.ackAll(leases)).hasSize(BATCH).containsOnly(Settled.LEASE_LOST);
            assertThat(pending(direct)).isEqualTo(BATCH);
        });
    }

    @Test
    void an_ack_whose_request_was_lost_can_be_retried() {
        withProxy((direct, queues, proxy) -> {
            ConsumerGroup<String> billing = group(queues, LONG_IDLE);
            produceABacklog(direct, billing);
            List<Lease<String>> leases = claimBatch(billing);
            proxy.cutNextRequestOf("EVALSHA");
            assertThatThrownBy(() -> billing.ackAll(leases)).isInstanceOf(QueueException.class);
            assertThat(pending(direct)).isEqualTo(BATCH);
            assertThat(untilReply(() -> pending(queues))).isEqualTo(BATCH);
            assertThat(billing.ackAll(leases)).hasSize(BATCH).containsOnly(Settled.DONE);
            assertThat(pending(direct)).isZero();
        });
    }

    @Test
    void an_entry_whose_retry_was_lost_is_not_acked_with_the_rest_of_its_batch() {
        withProxy((direct, queues, proxy) -> {
            ConsumerGroup<String> billing = group(queues, SHORT_IDLE);
            produceABacklog(direct, billing);
            List<Lease<String>> leases = claimBatch(billing);
            proxy.cutNextRequestOf("EVALSHA");
            assertThatThrownBy(() -> leases.get(4).retry(Duration.ZERO, "no")).isInstanceOf(QueueException.class);
            assertThat(untilReply(() -> pending(queues))).isEqualTo(BATCH);
            List<Lease<String>> rest = new ArrayList<>(leases);
            rest.remove(4);
            assertThat(billing.ackAll(rest)).hasSize(BATCH - 1).containsOnly(Settled.DONE);
            assertThat(pending(direct)).isEqualTo(1);
            ConsumerGroup<String> other = group(direct, SHORT_IDLE);
            Await.until("its lease to expire", LONG, () -> OwnStreams.payloads(other.claim(BATCH))
                    .contains(leases.get(4).job().payload()));
        });
    }

    @Test
    void a_batch_whose_reply_was_lost_is_handed_out_again() {
        withProxy((direct, queues, proxy) -> {
            ConsumerGroup<String> billing = group(queues, SHORT_IDLE);
            produceABacklog(direct, billing);
            proxy.cutNextReplyTo("XREADGROUP");
            assertThatThrownBy(() -> billing.claim(BATCH)).isInstanceOf(QueueException.class);
            assertThat(pending(direct)).isEqualTo(BATCH);
            ConsumerGroup<String> other = group(direct, SHORT_IDLE);
            List<String> reclaimed = new ArrayList<>();
            Await.until("the leases to expire", LONG, () -> {
                List<Lease<String>> leases = other.claim(BATCH);
                leases.forEach(lease -> reclaimed.add(lease.job().payload()));
                // Also acks the leases, if there are any.
                return (leases.isEmpty() || !other.ackAll(leases).isEmpty()) && reclaimed.size() == 5 * BATCH;
            });
            assertThat(reclaimed).doesNotHaveDuplicates();
            assertThat(pending(direct)).isZero();
        });
    }

    @Test
    void batches_survive_a_kill_of_redis_with_an_append_only_file() {
        try (RedisServer redis = RedisServer.startOwn("--appendonly", "yes", "--appendfsync", "always");
                QueueEngine queues = engine(redis.url())) {
            ConsumerGroup<String> billing = group(queues, LONG_IDLE);
            produceABacklog(queues, billing);
            List<Lease<String>> acked = claimBatch(billing);
            List<Lease<String>> leased = claimBatch(billing);
            assertThat(billing.ackAll(acked)).hasSize(BATCH).containsOnly(Settled.DONE);
            redis.kill();
            redis.restart();
            assertThat(untilReply(() -> pending(queues))).isEqualTo(BATCH);
            assertThat(billing.ackAll(acked)).containsOnly(Settled.LEASE_LOST);
            assertThat(billing.ackAll(leased)).hasSize(BATCH).containsOnly(Settled.DONE);
            assertThat(pending(queues)).isZero();
        }
    }

    @Test
    void a_replica_has_the_same_consumers_with_as_many_pending_entries() {
        try (RedisServer redis = RedisServer.startOwn();
                RedisServer replica = RedisServer.startOwn();
                RedisProbe probe = RedisProbe.of(redis.url());
                RedisProbe onReplica = RedisProbe.of(replica.url());
                QueueEngine queues = engine(redis.url())) {
            onReplica.command("REPLICAOF", "127.0.0.1", Integer.toString(redis.port()));
            Await.until("the replica to follow", LONG, () -> "up"
                    .equals(onReplica.info("replication").get("master_link_status")));
            ConsumerGroup<String> billing = group(queues, LONG_IDLE);
            produceABacklog(queues, billing);
            List<Lease<String>> acked = claimBatch(billing);
            List<Lease<String>> partly = claimBatch(billing);
            billing.ackAll(acked);
            billing.ackAll(partly.subList(0, 5));
            partly.get(6).extend(Duration.ofSeconds(5));
            Map<String, String> consumers = pendingByConsumer(probe);
            assertThat(consumers).containsValue("15");
            awaitReplica(probe);
            assertThat(pendingByConsumer(onReplica)).isEqualTo(consumers);
            assertThat(billing.ackAll(partly.subList(5, BATCH))).containsOnly(Settled.DONE);
            Map<String, String> left = pendingByConsumer(probe);
            assertThat(left).hasSize(1).containsValue("0");
            awaitReplica(probe);
            assertThat(pendingByConsumer(onReplica)).isEqualTo(left);
        }
    }
}
