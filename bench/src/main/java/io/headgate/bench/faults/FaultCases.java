package io.headgate.bench.faults;

import io.headgate.bench.faults.FaultCaller.PermitCaller;
import io.headgate.bench.faults.FaultCase.Effect;
import io.headgate.bench.faults.FaultTarget.ClusterRedis;
import io.headgate.bench.faults.FaultTarget.LaggingReplicas;
import io.headgate.bench.faults.FaultTarget.SentinelRedis;
import io.headgate.testkit.RedisCluster;
import io.headgate.testkit.RedisServer;
import io.headgate.testkit.WrongClock;
import io.headgate.testkit.faults.ServerFault;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;
import java.util.function.Function;

/** All faults, in the order of the table. */
final class FaultCases {

    private static final String[] SCRIPTS = {"EVALSHA", "EVAL"};

    /** The key of the limit. */
    private static final String KEY = "hg:sw:" + FaultSite.POLICY + ":limit:" + PermitCaller.ID;

    private static final Duration PATIENCE = Duration.ofSeconds(60);

    private FaultCases() {}

    static List<FaultCase<?>> all() {
        List<FaultCase<?>> all = new ArrayList<>(List.of(
                inProxy("refused", place -> {
                    place.proxy().refuseConnections();
                    place.proxy().cutAll();
                }),
                inProxy("black-holed", place -> place.proxy().blackHole()),
                inProxy("slow", place -> place.proxy().delayReplies(Duration.ofMillis(200))),
                inProxy("requests lost", place -> place.proxy().dropRequests()),
                inProxy("replies lost", place -> place.proxy().dropReplies()),
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
                inServer("LOADING", ServerFault::loading),
                inServer("BUSY", ServerFault::busy),
                inServer("OOM", ServerFault::outOfMemory),
                inServer("MISCONF", ServerFault::unableToSave),
                inServer("NOREPLICAS", ServerFault::withoutReplicas),
                inServer("READONLY", ServerFault::readOnly),
                inServer("MASTERDOWN", ServerFault::withoutPrimary),
                inServer("NOAUTH", redis -> ServerFault.withPassword(redis, "secret")),
                inServer("NOPERM", redis -> ServerFault.withoutRights(redis, "evalsha", "eval")),
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

    /** Notes about faults that are not possible on this machine. */
    static List<String> absences() {
        return WrongClock.isAvailable()
                ? List.of()
                : List.of("libfaketime is not installed (Debian: apt install faketime), so clocks did not jump");
    }

    private static FaultCase<SingleRedis> clockJumps(String name, String by) {
        return new FaultCase<>(name, Effect.CLOCK_JUMPS, SingleRedis::withClock, place -> place.clockJumps(by));
    }

    private static FaultCase<SingleRedis> inProxy(String name, Consumer<SingleRedis> begin) {
        return FaultCase.of(name, place -> {
            begin.accept(place);
            return place.proxy()::resume;
        });
    }

    private static FaultCase<SingleRedis> inServer(String name, Function<RedisServer, ServerFault> state) {
        return FaultCase.of(name, place -> state.apply(place.redis())::close);
    }

    private static FaultCase<SingleRedis> answered(String name, String error) {
        return inProxy(name, place -> place.proxy().answerWithError(error, SCRIPTS));
    }

    /** Faults of a Redis with replicas: failovers and slot moves. {@link LossCase} counts the jobs that failovers lose. */
    static List<FaultCase<?>> failovers() {
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
                FaultCase.repeated("slot moves", Effect.ALL_FALL_BACK, ClusterRedis::open, FaultCases::moveSlot));
    }

    private static FaultCase<SentinelRedis> sentinel(String name, Effect effect, Consumer<SentinelRedis> failover) {
        return FaultCase.once(name, effect, SentinelRedis::open, failover);
    }

    private static FaultCase<ClusterRedis> cluster(String name, Consumer<ClusterRedis> failover) {
        return FaultCase.once(name, Effect.ALL_FALL_BACK, ClusterRedis::open, failover);
    }

    /** Moves the slot of the limit to the next master, with its keys. */
    private static void moveSlot(ClusterRedis place) {
        RedisCluster all = place.all();
        List<RedisServer> masters = all.masters();
        int next = (masters.indexOf(all.masterOf(KEY)) + 1) % masters.size();
        all.moveSlot(all.slotOf(KEY), masters.get(next));
    }
}
