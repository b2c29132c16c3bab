package io.headgate.bench.faults;

import io.headgate.bench.run.Pause;
import io.headgate.testkit.Await;
import io.headgate.testkit.RedisCluster;
import io.headgate.testkit.RedisProbe;
import io.headgate.testkit.RedisSentinels;
import io.headgate.testkit.RedisServer;
import java.time.Duration;
import java.util.List;

/** A Redis of whatever form, as applications are given it; what can be done to it is its own. */
interface FaultTarget extends AutoCloseable {

    /** Where applications connect. */
    String url();

    @Override
    void close();

    /** Makes a place. */
    @FunctionalInterface
    interface Opening<P extends FaultTarget> {

        /** One that is empty, whose servers are started with these arguments beside their own. */
        P open(String... arguments);
    }

    /** Three masters with a replica each. */
    record ClusterRedis(RedisCluster all) implements FaultTarget {

        private static final Duration PATIENCE = Duration.ofSeconds(60);

        static ClusterRedis open(String... arguments) {
            return new ClusterRedis(RedisCluster.start(arguments));
        }

        @Override
        public String url() {
            return all.url();
        }

        /** Kills one, waits until its replica has taken over, and starts it again as the replica of that. */
        void replace(RedisServer master) {
            master.kill();
            startAgain(master);
        }

        /** The same with a replica that had heard nothing of it for some time. */
        void replaceByReplicaBehind(RedisServer master) {
            LaggingReplicas.kill(master, all.replicasOf(master));
            startAgain(master);
        }

        private void startAgain(RedisServer master) {
            all.awaitOk(PATIENCE);
            master.restart();
            all.awaitOk(PATIENCE);
        }

        @Override
        public void close() {
            all.close();
        }
    }

    /** A primary with two replicas, which sentinels watch. */
    record SentinelRedis(RedisSentinels all) implements FaultTarget {

        private static final Duration PATIENCE = Duration.ofSeconds(60);

        static SentinelRedis open(String... arguments) {
            return new SentinelRedis(RedisSentinels.start(arguments));
        }

        @Override
        public String url() {
            return all.url();
        }

        /** Kills the primary, and returns when a replica is in its place. */
        void failOver() {
            RedisServer before = all.primary();
            before.kill();
            all.awaitPromotion(before, PATIENCE);
        }

        /** The same with replicas that had heard nothing of the primary for some time. */
        void failOverToReplicasBehind() {
            RedisServer before = all.primary();
            List<RedisServer> replicas =
                    all.servers().stream().filter(one -> one != before).toList();
            LaggingReplicas.kill(before, replicas);
            all.awaitPromotion(before, PATIENCE);
        }

        @Override
        public void close() {
            all.close();
        }
    }

    /** Has a primary die whose replicas don't know what it did last. */
    final class LaggingReplicas {

        /** For how long they don't, at least: who watches them takes them for dead after a second, or two. */
        private static final Duration TIME = Duration.ofMillis(900);

        /** And how much: some ten jobs, as many as are enqueued in some seconds where each waits for a confirmation in vain. */
        private static final long BYTES = 8_000;

        private static final Duration PATIENCE = Duration.ofSeconds(30);

        private LaggingReplicas() {}

        /** Stops the replicas for a while, kills the primary, and lets them go on. */
        static void kill(RedisServer primary, List<RedisServer> replicas) {
            replicas.forEach(RedisServer::pause);
            try (RedisProbe probe = RedisProbe.of(primary.url())) {
                // What is sent to one that is stopped waits in the buffers of the machine, and would be read later.
                probe.command("CLIENT", "KILL", "TYPE", "replica");
                long then = offset(probe);
                Pause.of(TIME);
                Await.until("traffic that replicas don't see", PATIENCE, () -> offset(probe) - then > BYTES);
            }
            primary.kill();
            replicas.forEach(RedisServer::resume);
        }

        private static long offset(RedisProbe primary) {
            return Long.parseLong(primary.info("replication").getOrDefault("master_repl_offset", "0"));
        }
    }
}
