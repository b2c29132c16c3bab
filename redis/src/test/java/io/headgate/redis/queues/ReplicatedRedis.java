package io.headgate.redis.queues;

import io.headgate.testkit.Await;
import io.headgate.testkit.RedisProbe;
import io.headgate.testkit.RedisServer;
import java.time.Duration;
import java.util.Arrays;
import java.util.stream.Stream;

/** A Redis and its replica. */
final class ReplicatedRedis implements AutoCloseable {

    private static final Duration LONG = Duration.ofSeconds(30);

    final RedisServer primary;
    final RedisServer replica;
    final RedisProbe onPrimary;
    final RedisProbe onReplica;

    /** Starts both with the given arguments. */
    ReplicatedRedis(String... arguments) {
        primary = RedisServer.startOwn(concat(arguments, "--repl-diskless-sync-delay", "0"));
        replica = RedisServer.startOwn(concat(arguments, "--replicaof", "127.0.0.1", "" + primary.port()));
        onPrimary = RedisProbe.of(primary.url());
        onReplica = RedisProbe.of(replica.url());
        Await.until("the replica follows", LONG, this::isReplicating);
    }

    private static String[] concat(String[] arguments, String... more) {
        return Stream.concat(Arrays.stream(arguments), Arrays.stream(more)).toArray(String[]::new);
    }

    private boolean isReplicating() {
        return "up".equals(onReplica.info("replication").get("master_link_status"))
                && onPrimary.info("replication").getOrDefault("slave0", "").contains("state=online");
    }

    /** Kills the primary, and promotes the replica. */
    void failOver() {
        primary.kill();
        onReplica.command("REPLICAOF", "NO", "ONE");
    }

    @Override
    public void close() {
        onPrimary.close();
        onReplica.close();
        replica.close();
        primary.close();
    }
}
