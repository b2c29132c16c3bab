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
    private static final String KEY = "hg:sw:" + LimitInstances.POLICY + ":limit:" + PermitCaller.ID;

    private static final Duration TIMEOUT = Duration.ofSeconds(60);

    private FaultCases() {}

    /** Faults of one Redis without replicas, and of the network to it. */
    static List<FaultCase<?>> all() {
        List<FaultCase<?>> all = new ArrayList<>(List.of(
                inProxy("refused", target -> {
                    target.proxy().refuseConnections();
                    target.proxy().cutAll();
                }),
                inProxy("black-holed", target -> target.proxy().blackHole()),
                inProxy("slow", target -> target.proxy().delayReplies(Duration.ofMillis(200))),
                inProxy("requests lost", target -> target.proxy().dropRequests()),
                inProxy("replies lost", target -> target.proxy().dropReplies()),
                FaultCase.repeated("reset within a reply", Effect.SOME_FALL_BACK, target -> target.proxy()
                        .resetNextReplyAfter(3)),
                FaultCase.of("stopped", target -> {
                    target.redis().pause();
                    return target.redis()::resume;
                }),
                FaultCase.of("killed", target -> {
                    target.redis().kill();
                    return target.redis()::restart;
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
                FaultCase.of("maxclients", target -> {
                    ServerFault full = ServerFault.full(target.redis());
                    target.proxy().cutAll();
                    return full::close;
                }),
                answered("MOVED", "MOVED 1 127.0.0.1:1"),
                answered("ASK", "ASK 1 127.0.0.1:1"),
                answered("CLUSTERDOWN", "CLUSTERDOWN The cluster is down"),
                answered("TRYAGAIN", "TRYAGAIN Multiple keys request during rehashing of slot"),
                FaultCase.repeated("SCRIPT FLUSH", Effect.ALL_FALL_BACK, target -> target.probe()
                        .command("SCRIPT", "FLUSH")),
                FaultCase.repeated(
                        "FLUSHALL", Effect.COUNTS_LOST, target -> target.probe().flushAll()),
                FaultCase.repeated("all evicted", Effect.COUNTS_LOST, target -> ServerFault.evictAll(target.redis()))));
        if (WrongClock.isAvailable()) {
            all.add(clockJumps("clock forward by an hour", "+3600"));
            all.add(clockJumps("clock back by an hour", "-3600"));
        }
        return List.copyOf(all);
    }

    /** Notes about faults that are not possible on this machine. */
    static List<String> notesOnMissingFaults() {
        return WrongClock.isAvailable()
                ? List.of()
                : List.of("libfaketime is not installed (Debian: apt install faketime), so clocks did not jump");
    }

    private static FaultCase<SingleRedis> clockJumps(String name, String by) {
        return new FaultCase<>(name, Effect.CLOCK_JUMPS, SingleRedis::withClock, target -> target.clockJumps(by));
    }

    private static FaultCase<SingleRedis> inProxy(String name, Consumer<SingleRedis> begin) {
        return FaultCase.of(name, target -> {
            begin.accept(target);
            return target.proxy()::resume;
        });
    }

    private static FaultCase<SingleRedis> inServer(String name, Function<RedisServer, ServerFault> state) {
        return FaultCase.of(name, target -> state.apply(target.redis())::close);
    }

    private static FaultCase<SingleRedis> answered(String name, String error) {
        return inProxy(name, target -> target.proxy().answerWithError(error, SCRIPTS));
    }

    /** Faults of a Redis with replicas: failovers and slot moves. {@link LossCase} counts the jobs that failovers lose. */
    static List<FaultCase<?>> failovers() {
        return List.of(
                sentinel("primary killed", Effect.ALL_FALL_BACK, SentinelRedis::failOver),
                sentinel(
                        "primary killed with replicas behind",
                        Effect.ALL_FALL_BACK,
                        SentinelRedis::failOverToReplicasBehind),
                sentinel("primary replaced", Effect.TWO_ANSWER, target -> target.all()
                        .failOver()),
                cluster("master killed", target -> {
                    target.all().masterOf(KEY).kill();
                    target.all().awaitOk(TIMEOUT);
                }),
                cluster("master killed with a replica behind", target -> {
                    RedisCluster all = target.all();
                    RedisServer master = all.masterOf(KEY);
                    LaggingReplicas.kill(master, all.replicasOf(master));
                    all.awaitOk(TIMEOUT);
                }),
                cluster("master replaced", target -> target.all()
                        .failOver(target.all().slotOf(KEY))),
                FaultCase.repeated("slot moves", Effect.ALL_FALL_BACK, ClusterRedis::open, FaultCases::moveSlot));
    }

    private static FaultCase<SentinelRedis> sentinel(String name, Effect effect, Consumer<SentinelRedis> failover) {
        return FaultCase.once(name, effect, SentinelRedis::open, failover);
    }

    private static FaultCase<ClusterRedis> cluster(String name, Consumer<ClusterRedis> failover) {
        return FaultCase.once(name, Effect.ALL_FALL_BACK, ClusterRedis::open, failover);
    }

    /** Moves the slot of the limit to the next master, with its keys. */
    private static void moveSlot(ClusterRedis target) {
        RedisCluster all = target.all();
        List<RedisServer> masters = all.masters();
        int next = (masters.indexOf(all.masterOf(KEY)) + 1) % masters.size();
        all.moveSlot(all.slotOf(KEY), masters.get(next));
    }
}
