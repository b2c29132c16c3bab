package io.headgate.redis;

import io.headgate.limits.internal.LimitKind;
import java.util.Collection;
import java.util.EnumSet;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.stream.Collectors;

/**
 * The scripts of an engine, each joined once. The file of a kind of limit has two halves, parted by a line {@code --
 * @charge}: what looks, and what charges. A policy of one rule has them in line, one of several as functions; either
 * way a script has only the kinds that its policy needs.
 */
final class Scripts {

    private static final String HALVES = "-- @charge\n";

    private record Id(String operation, String file, Set<LimitKind> kinds) {}

    private final Map<Id, Script> joined = new ConcurrentHashMap<>();

    /** Decides for rules of these kinds. */
    Script acquire(List<LimitKind> rules) {
        return script("acquire", rules.size() == 1 ? "acquire_one" : "acquire", rules);
    }

    /** Looks at rules of these kinds. */
    Script peek(List<LimitKind> rules) {
        return script("peek", "peek", rules);
    }

    /** Forgets what a rule has counted. */
    Script reset() {
        return script("reset", "reset", List.of());
    }

    private Script script(String operation, String file, Collection<LimitKind> rules) {
        Set<LimitKind> kinds = EnumSet.noneOf(LimitKind.class);
        kinds.addAll(rules);
        return joined.computeIfAbsent(new Id(operation, file, kinds), id -> Script.of(operation, join(id)));
    }

    private static String join(Id id) {
        String algorithms = id.kinds().stream()
                .map(kind -> ScriptFile.join(ScriptFile.read("algorithm").replace("KIND", kind.code()), halves(kind)))
                .collect(Collectors.joining("\n"));
        Map<String, String> parts = new HashMap<>(Map.of("algorithms", algorithms));
        if (id.kinds().size() == 1) {
            parts.putAll(halves(id.kinds().iterator().next()));
        }
        return ScriptFile.join(ScriptFile.read(id.file()), parts);
    }

    private static Map<String, String> halves(LimitKind kind) {
        String file = ScriptFile.read(file(kind));
        int parting = file.indexOf(HALVES);
        return Map.of("look", file.substring(0, parting), "charge", file.substring(parting + HALVES.length()));
    }

    private static String file(LimitKind kind) {
        return switch (kind) {
            case FIXED_WINDOW -> "fixed_window";
            case SLIDING_WINDOW -> "sliding_window";
            case TOKEN_BUCKET -> "token_bucket";
        };
    }
}
