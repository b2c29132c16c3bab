package io.headgate.limits.internal.memory;

import io.headgate.limits.internal.algorithm.Counter;
import java.util.Collections;
import java.util.Iterator;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;

/** The counters of a rule by id: found without a lock, changed and visited in turn under the lock of the engine. */
final class RuleTable {

    /** A counter, and where it is found. */
    record Place(RuleTable table, String id, Counter counter) {}

    final RuleId rule;

    /** Strings compare, so even ids whose hashes collide on purpose are found fast. */
    final Map<String, Counter> counters = new ConcurrentHashMap<>();

    private Iterator<Map.Entry<String, Counter>> round = Collections.emptyIterator();

    RuleTable(RuleId rule) {
        this.rule = rule;
    }

    /** The next counter of an endless round; null if the table is empty. */
    @Nullable
    Place next() {
        if (!round.hasNext()) {
            round = counters.entrySet().iterator();
        }
        if (!round.hasNext()) {
            return null;
        }
        Map.Entry<String, Counter> found = round.next();
        return new Place(this, found.getKey(), found.getValue());
    }
}
