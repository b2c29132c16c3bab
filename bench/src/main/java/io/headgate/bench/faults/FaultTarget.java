package io.headgate.bench.faults;

import io.headgate.bench.run.Pause;
import io.headgate.testkit.Await;
import io.headgate.testkit.RedisCluster;
import io.headgate.testkit.RedisProbe;
import io.headgate.testkit.RedisSentinels;
import io.headgate.testkit.RedisServer;
import java.time.Duration;
import java.util.List;

/** The Redis deployment of a fault: a server, a Cluster, or a primary with sentinels. */
interface FaultTarget extends AutoCloseable {

    /** The URL that applications connect to. */
    String url();

    @Override
    void close();

    /** Starts a target. */
    @FunctionalInterface
    interface Opening<P extends FaultTarget> {

        /** Starts an empty target; its servers receive these additional arguments. */
        P open(String... arguments);
    }

    /** A Cluster of three masters with one replica each. */
    record ClusterRedis(RedisCluster all) implements FaultTarget {

        private static final Duration TIMEOUT = Duration.ofSeconds(60);

        static ClusterRedis open(String... arguments) {
            return new ClusterRedis(RedisCluster.start(arguments));
        }

        @Override
        public String url() {
            return all.url();
        }

        /** Kills a master, waits until its replica has taken over, and starts it again as a replica. */
        void replace(RedisServer master) {
            master.kill();
            startAgain(master);
        }

        /** Kills a master whose replica lacks its last writes, and starts it again as a replica. */
        void replaceByReplicaBehind(RedisServer master) {
            LaggingReplicas.kill(master, all.replicasOf(master));
            startAgain(master);
        }

        private void startAgain(RedisServer master) {
            all.awaitOk(TIMEOUT);
            master.restart();
            all.awaitOk(TIMEOUT);
        }

        @Override
        public void close() {
            all.close();
        }
    }

    /** A primary with two replicas, monitored by sentinels. */
    record SentinelRedis(RedisSentinels all) implements FaultTarget {

        private static final Duration TIMEOUT = Duration.ofSeconds(60);

        static SentinelRedis open(String... arguments) {
            return new SentinelRedis(RedisSentinels.start(arguments));
        }

        @Override
        public String url() {
            return all.url();
        }

        /** Kills the primary, and returns when a replica has replaced it. */
        void failOver() {
            RedisServer before = all.primary();
            before.kill();
            all.awaitPromotion(before, TIMEOUT);
        }

        /** Kills the primary while its replicas have not received its last writes; returns when one has replaced it. */
        void failOverToReplicasBehind() {
            RedisServer before = all.primary();
            List<RedisServer> replicas =
                    all.servers().stream().filter(one -> one != before).toList();
            LaggingReplicas.kill(before, replicas);
            all.awaitPromotion(before, TIMEOUT);
        }

        @Override
        public void close() {
            all.close();
        }
    }

    /** Kills a primary whose replicas have not received its last writes. */
    final class LaggingReplicas {

        /** The minimum pause of the replicas, which a Cluster considers dead after one second, and sentinels after two. */
        private static final Duration MIN_PAUSE = Duration.ofMillis(900);

        /** The minimum lag of the replicas: about ten jobs, which takes seconds if each waits for a confirmation. */
        private static final long MIN_LAG_BYTES = 8_000;

        private static final Duration TIMEOUT = Duration.ofSeconds(30);

        private LaggingReplicas() {}

        /** Pauses the replicas, waits until they miss some writes, kills the primary, and continues the replicas. */
        static void kill(RedisServer primary, List<RedisServer> replicas) {
            replicas.forEach(RedisServer::pause);
            try (RedisProbe probe = RedisProbe.of(primary.url())) {
                // Otherwise, writes wait in socket buffers, and a paused replica receives them later.
                probe.command("CLIENT", "KILL", "TYPE", "replica");
                long then = offset(probe);
                Pause.of(MIN_PAUSE);
                Await.until("writes that replicas miss", TIMEOUT, () -> offset(probe) - then > MIN_LAG_BYTES);
            }
            primary.kill();
            replicas.forEach(RedisServer::resume);
        }

        private static long offset(RedisProbe primary) {
            return Long.parseLong(primary.info("replication").getOrDefault("master_repl_offset", "0"));
        }
    }
}
