package io.headgate.bench;

import io.headgate.bench.FaultCase.Effect;
import io.headgate.testkit.RedisServer;
import io.headgate.testkit.Trouble;
import io.headgate.testkit.WrongClock;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.function.Consumer;
import java.util.function.Function;

/** All that is done to a Redis, in the order of the table. */
final class FaultCases {

    private static final String[] SCRIPTS = {"EVALSHA", "EVAL"};

    private FaultCases() {}

    static List<FaultCase> all() {
        List<FaultCase> all = new ArrayList<>(List.of(
                onTheWay("refused", site -> {
                    site.proxy().refuseConnections();
                    site.proxy().cutAll();
                }),
                onTheWay("black-holed", site -> site.proxy().blackHole()),
                onTheWay("slow", site -> site.proxy().delayReplies(Duration.ofMillis(200))),
                onTheWay("requests lost", site -> site.proxy().dropRequests()),
                onTheWay("replies lost", site -> site.proxy().dropReplies()),
                FaultCase.repeated("reset within a reply", Effect.SOME_FALL_BACK, site -> site.proxy()
                        .resetNextReplyAfter(3)),
                new FaultCase("stopped", site -> {
                    site.redis().pause();
                    return site.redis()::resume;
                }),
                new FaultCase("killed", site -> {
                    site.redis().kill();
                    return site.redis()::restart;
                }),
                inState("LOADING", Trouble::loading),
                inState("BUSY", Trouble::busy),
                inState("OOM", Trouble::outOfMemory),
                inState("MISCONF", Trouble::unableToSave),
                inState("NOREPLICAS", Trouble::withoutReplicas),
                inState("READONLY", Trouble::readOnly),
                inState("MASTERDOWN", Trouble::withoutPrimary),
                inState("NOAUTH", redis -> Trouble.withPassword(redis, "secret")),
                inState("NOPERM", redis -> Trouble.withoutRights(redis, "evalsha", "eval")),
                new FaultCase("maxclients", site -> {
                    Trouble full = Trouble.full(site.redis());
                    site.proxy().cutAll();
                    return full::close;
                }),
                answered("MOVED", "MOVED 1 127.0.0.1:1"),
                answered("ASK", "ASK 1 127.0.0.1:1"),
                answered("CLUSTERDOWN", "CLUSTERDOWN The cluster is down"),
                answered("TRYAGAIN", "TRYAGAIN Multiple keys request during rehashing of slot"),
                FaultCase.repeated("SCRIPT FLUSH", Effect.ALL_FALL_BACK, site -> site.probe()
                        .command("SCRIPT", "FLUSH")),
                FaultCase.repeated(
                        "FLUSHALL", Effect.COUNTS_LOST, site -> site.probe().flushAll()),
                FaultCase.repeated("all evicted", Effect.COUNTS_LOST, site -> Trouble.evictAll(site.redis()))));
        if (WrongClock.isAvailable()) {
            all.add(new FaultCase(
                    "clock forth by an hour", Effect.CLOCK_JUMPS, true, site -> site.clockJumps("+3600")));
            all.add(new FaultCase("clock back by an hour", Effect.CLOCK_JUMPS, true, site -> site.clockJumps("-3600")));
        }
        return List.copyOf(all);
    }

    /** What can't be done on this machine. */
    static List<String> absences() {
        return WrongClock.isAvailable()
                ? List.of()
                : List.of("libfaketime is not installed (Debian: apt install faketime), so clocks did not jump");
    }

    private static FaultCase onTheWay(String name, Consumer<FaultSite> begin) {
        return new FaultCase(name, site -> {
            begin.accept(site);
            return site.proxy()::resume;
        });
    }

    private static FaultCase inState(String name, Function<RedisServer, Trouble> state) {
        return new FaultCase(name, site -> state.apply(site.redis())::close);
    }

    private static FaultCase answered(String name, String error) {
        return onTheWay(name, site -> site.proxy().answerWithError(error, SCRIPTS));
    }

    /**
     * Those of these names; all, where there are none.
     *
     * @throws IllegalArgumentException when there is none of a name
     */
    static List<FaultCase> named(List<String> names) {
        List<FaultCase> all = all();
        List<String> known = all.stream().map(FaultCase::name).toList();
        for (String name : names) {
            if (!known.contains(name) && !name.equals(DeadRedisScenario.NAME)) {
                throw new IllegalArgumentException("there is no case " + name + "; there are "
                        + String.join(", ", known) + ", " + DeadRedisScenario.NAME);
            }
        }
        Set<String> wanted = Set.copyOf(names);
        return all.stream()
                .filter(one -> wanted.isEmpty() || wanted.contains(one.name()))
                .toList();
    }
}
