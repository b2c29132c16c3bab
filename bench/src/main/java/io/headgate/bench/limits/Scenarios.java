package io.headgate.bench.limits;

import io.headgate.bench.run.Choice;
import io.headgate.bench.run.Scenario;
import io.headgate.bench.run.Scenario.Arena;
import java.util.List;

/** All scenarios of limits, in the order in which they are measured. */
enum Scenarios {
    SPREAD("spread"),
    HOT("hot"),
    DENIED("denied"),
    COALESCED("coalesced"),
    COALESCED_HOT("coalesced-hot"),
    LEASED("leased"),
    FLOOD("flood"),
    LONE("lone"),
    HOT_KEYS("hot-keys"),
    HOT_KEYS_DENIED("hot-keys-denied"),
    BAN_RULES("ban-rules"),
    IN_FLIGHT("in-flight"),
    MEMORY("memory"),
    LOCAL_1("local-1"),
    LOCAL_2("local-2"),
    LOCAL_100K("local-100k"),
    LOCAL_BANS("local-bans"),
    LOCAL_METRICS("local-metrics"),
    OFFERED("offered");

    private final String label;

    Scenarios(String label) {
        this.label = label;
    }

    /** Creates the scenario. */
    Scenario in(Arena arena) {
        return switch (this) {
            case SPREAD -> RedisScenario.spread(label, arena);
            case HOT -> RedisScenario.hot(label, arena);
            case DENIED -> RedisScenario.denied(label, arena);
            case COALESCED -> RedisScenario.coalesced(label, arena);
            case COALESCED_HOT -> RedisScenario.coalescedHot(label, arena);
            case LEASED -> RedisScenario.leased(label, arena);
            case FLOOD -> RedisScenario.flood(label, arena);
            case LONE -> RedisScenario.lone(label, arena);
            case HOT_KEYS -> RedisScenario.hotKeys(label, arena);
            case HOT_KEYS_DENIED -> RedisScenario.hotKeysDenied(label, arena);
            case BAN_RULES -> RedisScenario.banRules(label, arena);
            case IN_FLIGHT -> RedisScenario.held(label, arena);
            case MEMORY -> new MemoryScenario(label, arena);
            case LOCAL_1 -> LocalScenario.one(label, arena);
            case LOCAL_2 -> LocalScenario.two(label, arena);
            case LOCAL_100K -> LocalScenario.manyKeys(label, arena);
            case LOCAL_BANS -> LocalScenario.bans(label, arena);
            case LOCAL_METRICS -> LocalScenario.metrics(label, arena);
            case OFFERED -> new OfferedScenario(label, arena);
        };
    }

    /**
     * The scenarios with these names, or all if there are no names.
     *
     * @throws IllegalArgumentException when no scenario has one of the names
     */
    static List<Scenarios> named(List<String> labels) {
        return Choice.of(values(), scenario -> scenario.label, labels);
    }
}
