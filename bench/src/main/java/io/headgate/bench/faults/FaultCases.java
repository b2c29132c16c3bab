package io.headgate.bench.faults;

import io.headgate.bench.faults.FaultCaller.PermitCaller;
import io.headgate.bench.faults.FaultCase.Effect;
import io.headgate.bench.faults.FaultTarget.ClusterRedis;
import io.headgate.bench.faults.FaultTarget.LaggingReplicas;
import io.headgate.bench.faults.FaultTarget.SentinelRedis;
import io.headgate.bench.faults.LossCase.LossCases;
import io.headgate.testkit.RedisCluster;
import io.headgate.testkit.RedisServer;
import io.headgate.testkit.WrongClock;
import io.headgate.testkit.faults.ServerFault;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;
import java.util.function.Function;

/** All that is done to a Redis, in the order of the table. */
final class FaultCases {

    private static final String[] SCRIPTS = {"EVALSHA", "EVAL"};

    private FaultCases() {}

    static List<FaultCase<?>> all() {
        List<FaultCase<?>> all = new ArrayList<>(List.of(
                onTheWay("refused", place -> {
                    place.proxy().refuseConnections();
                    place.proxy().cutAll();
                }),
                onTheWay("black-holed", place -> place.proxy().blackHole()),
                onTheWay("slow", place -> place.proxy().delayReplies(Duration.ofMillis(200))),
                onTheWay("requests lost", place -> place.proxy().dropRequests()),
                onTheWay("replies lost", place -> place.proxy().dropReplies()),
                FaultCase.repeated("reset within a reply", Effect.SOME_FALL_BACK, place -> place.proxy()
                        .resetNextReplyAfter(3)),
                FaultCase.of("stopped", place -> {
                    place.redis().pause();
                    return place.redis()::resume;
                }),
                FaultCase.of("killed", place -> {
                    place.redis().kill();
                    return place.redis()::restart;
                }),
                inState("LOADING", ServerFault::loading),
                inState("BUSY", ServerFault::busy),
                inState("OOM", ServerFault::outOfMemory),
                inState("MISCONF", ServerFault::unableToSave),
                inState("NOREPLICAS", ServerFault::withoutReplicas),
                inState("READONLY", ServerFault::readOnly),
                inState("MASTERDOWN", ServerFault::withoutPrimary),
                inState("NOAUTH", redis -> ServerFault.withPassword(redis, "secret")),
                inState("NOPERM", redis -> ServerFault.withoutRights(redis, "evalsha", "eval")),
                FaultCase.of("maxclients", place -> {
                    ServerFault full = ServerFault.full(place.redis());
                    place.proxy().cutAll();
                    return full::close;
                }),
                answered("MOVED", "MOVED 1 127.0.0.1:1"),
                answered("ASK", "ASK 1 127.0.0.1:1"),
                answered("CLUSTERDOWN", "CLUSTERDOWN The cluster is down"),
                answered("TRYAGAIN", "TRYAGAIN Multiple keys request during rehashing of slot"),
                FaultCase.repeated("SCRIPT FLUSH", Effect.ALL_FALL_BACK, place -> place.probe()
                        .command("SCRIPT", "FLUSH")),
                FaultCase.repeated(
                        "FLUSHALL", Effect.COUNTS_LOST, place -> place.probe().flushAll()),
                FaultCase.repeated("all evicted", Effect.COUNTS_LOST, place -> ServerFault.evictAll(place.redis()))));
        if (WrongClock.isAvailable()) {
            all.add(clockJumps("clock forth by an hour", "+3600"));
            all.add(clockJumps("clock back by an hour", "-3600"));
        }
        return List.copyOf(all);
    }

    /** What can't be done on this machine. */
    static List<String> absences() {
        return WrongClock.isAvailable()
                ? List.of()
                : List.of("libfaketime is not installed (Debian: apt install faketime), so clocks did not jump");
    }

    private static FaultCase<SingleRedis> clockJumps(String name, String by) {
        return new FaultCase<>(name, Effect.CLOCK_JUMPS, SingleRedis::withClock, place -> place.clockJumps(by));
    }

    private static FaultCase<SingleRedis> onTheWay(String name, Consumer<SingleRedis> begin) {
        return FaultCase.of(name, place -> {
            begin.accept(place);
            return place.proxy()::resume;
        });
    }

    private static FaultCase<SingleRedis> inState(String name, Function<RedisServer, ServerFault> state) {
        return FaultCase.of(name, place -> state.apply(place.redis())::close);
    }

    private static FaultCase<SingleRedis> answered(String name, String error) {
        return onTheWay(name, place -> place.proxy().answerWithError(error, SCRIPTS));
    }

    /** What is done to a Redis that has replicas: another takes over, or slots move. What jobs that can cost, {@link LossCases} say. */
    static final class FailoverCases {

        /** Where the permits of the limit are counted. */
        private static final String KEY = "hg:sw:" + FaultSite.POLICY + ":limit:" + PermitCaller.ID;

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
                        LaggingReplicas.kill(master, all.replicasOf(master));
                        all.awaitOk(PATIENCE);
                    }),
                    cluster("master replaced", place -> place.all()
                            .failOver(place.all().slotOf(KEY))),
                    FaultCase.repeated(
                            "slot moves", Effect.ALL_FALL_BACK, ClusterRedis::open, FailoverCases::moveSlot));
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
}
