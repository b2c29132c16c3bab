package io.headgate.redis.queues.internal.stream;

import static org.assertj.core.api.Assertions.assertThat;

import io.headgate.queues.Codec;
import io.headgate.queues.Job;
import io.headgate.queues.QueueEngine;
import io.headgate.queues.QueueException;
import io.headgate.queues.streams.EventStream;
import io.headgate.queues.streams.GroupSettings;
import io.headgate.queues.streams.NewEntry;
import io.headgate.queues.worker.Worker;
import io.headgate.redis.RedisSettings;
import io.headgate.redis.queues.RedisQueueEngine;
import io.headgate.testkit.Await;
import io.headgate.testkit.RedisProbe;
import io.headgate.testkit.RedisServer;
import io.headgate.testkit.conditions.ServerVersionSensitive;
import io.lettuce.core.RedisClient;
import io.lettuce.core.RedisURI;
import io.lettuce.core.resource.ClientResources;
import io.lettuce.core.resource.SocketAddressResolver;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.SocketAddress;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** A replica is promoted while consumers run. Their client finds it by a host name that then resolves to the replica, as with DNS. */
@Timeout(180)
@ServerVersionSensitive
class StreamFailoverIT {

    private static final Duration LONG = Duration.ofSeconds(60);
    private static final GroupSettings QUICK = GroupSettings.of("billing").withMinIdle(Duration.ofSeconds(2));

    private final Map<String, AtomicInteger> handled = new ConcurrentHashMap<>();
    private volatile int port;

    private RedisClient client(ClientResources resources) {
        return RedisClient.create(resources, RedisURI.create("redis://redis.test:6379"));
    }

    private ClientResources resources() {
        return ClientResources.builder()
                .socketAddressResolver(new SocketAddressResolver() {
                    @Override
                    public SocketAddress resolve(RedisURI uri) {
                        return new InetSocketAddress(InetAddress.getLoopbackAddress(), port);
                    }
                })
                .build();
    }

    private static QueueEngine engine(RedisClient client) {
        return RedisQueueEngine.connect(RedisSettings.of(client).withTimeout(Duration.ofSeconds(5)));
    }

    private void recordHandled(Job<String> job) {
        handled.computeIfAbsent(job.payload(), none -> new AtomicInteger()).incrementAndGet();
    }

    private static void produce(EventStream<String> stream, int from, int to) {
        stream.produceAll(
                IntStream.range(from, to).mapToObj(i -> NewEntry.of("e" + i)).toList());
    }

    @Test
    void consumers_continue_at_the_replica_with_all_its_entries() {
        ClientResources resources = resources();
        try (RedisServer primary = RedisServer.startOwn();
                RedisServer replica = RedisServer.startOwn("--replicaof", "127.0.0.1", "" + primary.port());
                RedisProbe onPrimary = RedisProbe.of(primary.url());
                RedisProbe onReplica = RedisProbe.of(replica.url())) {
            port = primary.port();
            RedisClient client = client(resources);
            Await.until("the replica to follow", LONG, () -> "up"
                    .equals(onReplica.info("replication").get("master_link_status")));
            try (QueueEngine one = engine(client);
                    QueueEngine other = engine(client)) {
                EventStream<String> stream = one.stream("orders", Codec.text());
                produce(stream, 0, 400);
                try (Worker first = Worker.of(stream.group(QUICK)).start(this::recordHandled);
                        Worker second = Worker.of(
                                        other.stream("orders", Codec.text()).group(QUICK))
                                .start(this::recordHandled)) {
                    Await.until("the first to be handled", LONG, () -> handled.size() == 400);
                    produce(stream, 400, 800);
                    // WAIT covers the writes up to the last command of its own connection, so this sends one.
                    onPrimary.command("PING");
                    assertThat(onPrimary.command("WAIT", "1", "10000")).isEqualTo(1L);
                    // Now some entries are pending, some are acked only on the primary, and some are new.
                    primary.kill();
                    onReplica.command("REPLICAOF", "NO", "ONE");
                    port = replica.port();
                    Await.until("Redis to answer again", LONG, () -> {
                        try {
                            produce(stream, 800, 900);
                            return true;
                        } catch (QueueException e) {
                            return false;
                        }
                    });
                    Await.until("all to be handled", LONG, () -> handled.size() == 900);
                    Await.until(
                            "all to be settled",
                            LONG,
                            () -> stream.state().groups().get(0).pending() == 0);
                }
            } finally {
                client.shutdown(0, 2, TimeUnit.SECONDS);
            }
        } finally {
            resources.shutdown(0, 2, TimeUnit.SECONDS);
        }
    }
}
