package io.headgate.redis;

import io.headgate.limits.internal.LimitKind;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

/** The scripts of an engine, each joined from its files once. */
final class Scripts {

    private record Id(String name, List<String> parts) {}

    private final Map<Id, Script> loaded = new ConcurrentHashMap<>();

    /** Decides for rules of these kinds. */
    Script acquire(Collection<LimitKind> kinds) {
        return script("acquire", kinds);
    }

    /** Looks at rules of these kinds. */
    Script peek(Collection<LimitKind> kinds) {
        return script("peek", kinds);
    }

    /** Forgets what a rule has counted. */
    Script reset() {
        return script("reset", List.of());
    }

    private Script script(String name, Collection<LimitKind> kinds) {
        List<String> parts =
                kinds.stream().distinct().sorted().map(Scripts::part).toList();
        return loaded.computeIfAbsent(new Id(name, parts), id -> Script.load(id.name, id.parts));
    }

    private static String part(LimitKind kind) {
        return switch (kind) {
            case FIXED_WINDOW -> "fixed_window";
            case SLIDING_WINDOW -> "sliding_window";
            case TOKEN_BUCKET -> "token_bucket";
        };
    }
}
