package io.headgate.redis;

import io.headgate.limits.internal.Bounds;
import io.headgate.limits.internal.LimitKind;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;

/** Scripts of every sort that Headgate sends: for one rule of each kind, for each two, for all, and for the most. */
final class AllScripts {

    private AllScripts() {}

    static List<Script> joined() {
        Scripts scripts = new Scripts();
        List<Script> all = new ArrayList<>();
        for (List<LimitKind> rules : sequences()) {
            all.add(scripts.acquire(rules));
            all.add(scripts.peek(rules));
        }
        all.add(scripts.reset());
        all.add(scripts.ping());
        return all;
    }

    private static List<List<LimitKind>> sequences() {
        List<LimitKind> kinds = List.of(LimitKind.values());
        List<List<LimitKind>> sequences = new ArrayList<>();
        for (LimitKind kind : kinds) {
            sequences.add(List.of(kind));
            kinds.forEach(second -> sequences.add(List.of(kind, second)));
        }
        sequences.add(kinds);
        sequences.add(Collections.nCopies(Bounds.MAX_RULES, LimitKind.SLIDING_WINDOW));
        return sequences;
    }
}
