package io.headgate.redis.limits.internal.planner;

import io.headgate.limits.internal.Bounds;
import io.headgate.limits.internal.algorithm.LimitKind;
import io.headgate.redis.internal.script.Script;
import java.util.ArrayList;
import java.util.Collections;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;

/**
 * Scripts of all kinds that Headgate sends: for one rule and for the most rules of each sort, for each pair of kinds, and for all
 * kinds.
 */
final class AllScripts {

    private AllScripts() {}

    static List<Script> joined(boolean timeGiven) {
        Scripts scripts = new Scripts(timeGiven);
        Set<Script> all = new LinkedHashSet<>();
        for (List<Scripts.Sort> rules : sequences()) {
            all.add(scripts.acquire(rules));
            all.add(scripts.acquireAll(rules));
            all.add(scripts.acquireOnce(rules));
            all.add(scripts.acquireCombined(rules).orElseThrow());
            all.add(scripts.peek(rules));
            if (rules.size() == 1) {
                all.add(scripts.reserve(rules.get(0)));
                all.add(scripts.reserveOnce(rules.get(0)));
                all.add(scripts.refundOnce(rules.get(0).kind()));
            }
            all.add(scripts.refund(rules.stream().map(Scripts.Sort::kind).toList()));
        }
        all.add(scripts.reset());
        all.add(scripts.ping());
        all.add(scripts.probe());
        all.add(scripts.instances());
        all.add(scripts.putHotKeys());
        all.add(scripts.policiesOfHotKeys());
        all.add(scripts.partsOfHotKeys());
        return List.copyOf(all);
    }

    private static List<List<Scripts.Sort>> sequences() {
        List<List<Scripts.Sort>> sequences = new ArrayList<>();
        List<Scripts.Sort> plain = new ArrayList<>();
        for (LimitKind kind : LimitKind.values()) {
            plain.add(new Scripts.Sort(kind, false, false));
            for (boolean shadow : new boolean[] {false, true}) {
                for (boolean attempts : new boolean[] {false, true}) {
                    Scripts.Sort sort = new Scripts.Sort(kind, attempts, shadow);
                    sequences.add(List.of(sort));
                    sequences.add(Collections.nCopies(Bounds.MAX_RULES, sort));
                }
            }
        }
        for (Scripts.Sort first : plain) {
            plain.forEach(second -> sequences.add(List.of(first, second)));
        }
        sequences.add(plain);
        return sequences;
    }
}
