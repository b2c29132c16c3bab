package io.headgate.redis;

import io.headgate.limits.internal.LimitKind;
import java.util.ArrayList;
import java.util.List;

/** Every script that Headgate can send: each command, for one rule and for several of every combination of kinds. */
final class AllScripts {

    private AllScripts() {}

    static List<Script> joined() {
        Scripts scripts = new Scripts();
        LimitKind[] kinds = LimitKind.values();
        List<Script> all = new ArrayList<>();
        for (int chosen = 1; chosen < 1 << kinds.length; chosen++) {
            List<LimitKind> rules = new ArrayList<>();
            for (int i = 0; i < kinds.length; i++) {
                if ((chosen & 1 << i) != 0) {
                    rules.add(kinds[i]);
                }
            }
            all.add(scripts.acquire(rules));
            all.add(scripts.peek(rules));
            if (rules.size() == 1) {
                all.add(scripts.acquire(List.of(rules.get(0), rules.get(0))));
            }
        }
        all.add(scripts.reset());
        return all;
    }
}
