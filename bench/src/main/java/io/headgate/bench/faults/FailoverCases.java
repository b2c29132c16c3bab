package io.headgate.bench.faults;

import io.headgate.bench.faults.FaultCase.Effect;
import io.headgate.testkit.RedisCluster;
import io.headgate.testkit.RedisServer;
import java.time.Duration;
import java.util.List;
import java.util.function.Consumer;

/** What is done to a Redis that has replicas: another takes over, or slots move. What jobs that can cost, {@link LossCases} say. */
final class FailoverCases {

    /** Where the permits of the limit are counted. */
    private static final String KEY = "hg:sw:" + FaultSite.POLICY + ":limit:" + FaultAsker.ID;

    private static final Duration PATIENCE = Duration.ofSeconds(60);

    private FailoverCases() {}

    static List<FaultCase<?>> all() {
        return List.of(
                sentinel("primary killed", Effect.ALL_FALL_BACK, SentinelRedis::failOver),
                sentinel(
                        "primary killed with replicas behind",
                        Effect.ALL_FALL_BACK,
                        SentinelRedis::failOverToReplicasBehind),
                sentinel("primary replaced", Effect.TWO_ANSWER, place -> place.all()
                        .failOver()),
                cluster("master killed", place -> {
                    place.all().masterOf(KEY).kill();
                    place.all().awaitOk(PATIENCE);
                }),
                cluster("master killed with a replica behind", place -> {
                    RedisCluster all = place.all();
                    RedisServer master = all.masterOf(KEY);
                    Behind.kill(master, all.replicasOf(master));
                    all.awaitOk(PATIENCE);
                }),
                cluster("master replaced", place -> place.all()
                        .failOver(place.all().slotOf(KEY))),
                FaultCase.repeated("slot moves", Effect.ALL_FALL_BACK, ClusterRedis::open, FailoverCases::moveSlot));
    }

    private static FaultCase<SentinelRedis> sentinel(String name, Effect effect, Consumer<SentinelRedis> failover) {
        return FaultCase.once(name, effect, SentinelRedis::open, failover);
    }

    private static FaultCase<ClusterRedis> cluster(String name, Consumer<ClusterRedis> failover) {
        return FaultCase.once(name, Effect.ALL_FALL_BACK, ClusterRedis::open, failover);
    }

    /** To the next master, with its keys. */
    private static void moveSlot(ClusterRedis place) {
        RedisCluster all = place.all();
        List<RedisServer> masters = all.masters();
        int next = (masters.indexOf(all.masterOf(KEY)) + 1) % masters.size();
        all.moveSlot(all.slotOf(KEY), masters.get(next));
    }
}
