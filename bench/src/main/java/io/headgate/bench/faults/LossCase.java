package io.headgate.bench.faults;

import static io.headgate.bench.faults.LossCase.Safety.FILE;
import static io.headgate.bench.faults.LossCase.Safety.NONE;
import static io.headgate.bench.faults.LossCase.Safety.REPLICAS;

import io.headgate.bench.faults.FaultCase.Effect;
import io.headgate.bench.faults.FaultTarget.ClusterRedis;
import io.headgate.bench.faults.FaultTarget.SentinelRedis;
import io.headgate.bench.run.Pause;
import io.headgate.queues.Durability;
import io.headgate.testkit.RedisServer;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.BiConsumer;
import java.util.function.Consumer;

/**
 * A row of the loss matrix: servers that are killed while jobs are enqueued and handled.
 *
 * @param killFault the fault that kills the servers, and ends by itself
 * @param kills how many servers are killed
 * @param shards the number of shards of the queue
 * @param replicated whether there are replicas
 * @param lossless the columns in which no job with an answered enqueue may be lost
 * @param impossible the reasons why columns are not possible
 */
record LossCase(
        FaultCase<?> killFault,
        int kills,
        int shards,
        boolean replicated,
        Set<Safety> lossless,
        Map<Safety, String> impossible) {

    static final String SYNCED_ALWAYS = "file synced always";
    static final String SYNCED_EACH_SECOND = "file synced each second";
    static final String WITHOUT_FILE = "no file";
    static final String FAILOVER = "failover";
    static final String FAILOVER_BEHIND = "failover with replicas behind";
    static final String CLUSTER = "cluster";
    static final String CLUSTER_BEHIND = "cluster with a replica behind";

    private static final int RESTARTS = 5;
    private static final Duration INTERVAL = Duration.ofMillis(600);

    private static final int MASTERS = 3;
    private static final int SHARDS = 12;
    private static final String NO_REPLICA = "no replica";

    /** All rows of the loss matrix. */
    static List<LossCase> all() {
        return List.of(
                restarted(WITHOUT_FILE, Set.of(), Map.of(REPLICAS, NO_REPLICA, FILE, "no file"), "--appendonly", "no"),
                restarted(SYNCED_EACH_SECOND, Set.of(FILE), Map.of(REPLICAS, NO_REPLICA), withFile("everysec")),
                restarted(SYNCED_ALWAYS, Set.of(NONE, FILE), Map.of(REPLICAS, NO_REPLICA), withFile("always")),
                failover(FAILOVER, SentinelRedis::failOver),
                failover(FAILOVER_BEHIND, SentinelRedis::failOverToReplicasBehind),
                cluster(CLUSTER, MASTERS, ClusterRedis::replace),
                cluster(CLUSTER_BEHIND, 1, ClusterRedis::replaceByReplicaBehind));
    }

    /** The rows with these names; all rows if none has one of them. */
    static List<LossCase> named(Set<String> names) {
        List<LossCase> all = all();
        List<LossCase> named =
                all.stream().filter(one -> names.contains(one.name())).toList();
        return named.isEmpty() ? all : named;
    }

    private static String[] withFile(String synced) {
        return new String[] {"--appendonly", "yes", "--appendfsync", synced};
    }

    /** A row with one Redis that is killed and started again several times. */
    private static LossCase restarted(
            String name, Set<Safety> lossless, Map<Safety, String> impossible, String... arguments) {
        FaultCase<SingleRedis> killFault =
                FaultCase.once(name, Effect.ALL_FALL_BACK, none -> SingleRedis.open(arguments), target -> {
                    for (int i = 0; i < RESTARTS; i++) {
                        Pause.of(INTERVAL);
                        target.redis().kill();
                        target.redis().restart();
                    }
                });
        return new LossCase(killFault, RESTARTS, 1, false, lossless, impossible);
    }

    private static LossCase failover(String name, Consumer<SentinelRedis> failover) {
        FaultCase<SentinelRedis> killFault =
                FaultCase.once(name, Effect.ALL_FALL_BACK, none -> SentinelRedis.open(withFile("everysec")), failover);
        return new LossCase(killFault, 1, 1, true, Set.of(REPLICAS, FILE), Map.of());
    }

    /** A row with a queue over all masters of a Cluster, of which this many are killed one after the other. */
    private static LossCase cluster(String name, int masters, BiConsumer<ClusterRedis, RedisServer> kill) {
        FaultCase<ClusterRedis> killFault =
                FaultCase.once(name, Effect.ALL_FALL_BACK, none -> ClusterRedis.open(withFile("everysec")), target -> {
                    for (RedisServer master : target.all().masters().subList(0, masters)) {
                        kill.accept(target, master);
                        Pause.of(INTERVAL);
                    }
                });
        return new LossCase(killFault, masters, SHARDS, true, Set.of(REPLICAS, FILE), Map.of());
    }

    String name() {
        return killFault.name();
    }

    /** The name of a cell in the readings. */
    String subject(Safety safety) {
        return name() + ": " + safety.label();
    }

    /** The durability of a queue: the columns of the loss matrix. */
    enum Safety {
        NONE("none"),
        REPLICAS("replicas"),
        FILE("append-only file");

        private static final Duration TIMEOUT = Duration.ofMillis(500);

        /** Longer than {@link #TIMEOUT}, as a file may be synced only once a second. */
        private static final Duration FILE_TIMEOUT = Duration.ofSeconds(3);

        /** Longer than usual: under its lease, a job waits for the confirmation of its claim, and of a poll before its ack. */
        private static final Duration FILE_LEASE = Duration.ofSeconds(10);

        private final String label;

        Safety(String label) {
            this.label = label;
        }

        String label() {
            return label;
        }

        /** The lease of a job. */
        Duration lease() {
            return this == FILE ? FILE_LEASE : JobTrial.LEASE;
        }

        Durability durability(boolean replicated) {
            return switch (this) {
                case NONE -> Durability.none();
                case REPLICAS -> Durability.replicas(1, TIMEOUT);
                case FILE -> Durability.appendOnlyFile(true, replicated ? 1 : 0, FILE_TIMEOUT);
            };
        }
    }
}
