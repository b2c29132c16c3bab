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
 * All kinds of scripts of rate limits: for one rule and for the maximum number of rules of each type (a kind, enforced or in shadow mode,
 * counting attempts or not), for each pair of kinds, and for all kinds.
 */
final class AllScripts {

    private AllScripts() {}

    static List<Script> joined(boolean timeGiven) {
        Scripts scripts = new Scripts(timeGiven);
        Set<Script> all = new LinkedHashSet<>();
        for (List<RuleType> rules : sequences()) {
            all.add(scripts.acquire(rules));
            all.add(scripts.acquireBatch(rules));
            all.add(scripts.acquireWithId(rules));
            all.add(scripts.acquireCombined(rules).orElseThrow());
            all.add(scripts.peek(rules));
            if (rules.size() == 1) {
                all.add(scripts.reserve(rules.get(0)));
                all.add(scripts.reserveWithId(rules.get(0)));
                all.add(scripts.refundWithId(rules.get(0).kind()));
            }
            all.add(scripts.refund(rules.stream().map(RuleType::kind).toList()));
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

    private static List<List<RuleType>> sequences() {
        List<List<RuleType>> sequences = new ArrayList<>();
        List<RuleType> plain = new ArrayList<>();
        for (LimitKind kind : LimitKind.values()) {
            plain.add(RuleType.of(kind));
            for (boolean shadow : new boolean[] {false, true}) {
                for (boolean attempts : new boolean[] {false, true}) {
                    addSequences(sequences, new RuleType(kind, attempts, shadow, false));
                }
                addSequences(sequences, new RuleType(kind, false, shadow, true));
            }
        }
        for (RuleType first : plain) {
            plain.forEach(second -> sequences.add(List.of(first, second)));
        }
        sequences.add(plain);
        return sequences;
    }

    private static void addSequences(List<List<RuleType>> sequences, RuleType type) {
        sequences.add(List.of(type));
        sequences.add(Collections.nCopies(Bounds.MAX_RULES, type));
    }
}
