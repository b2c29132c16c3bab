package io.headgate.limits.internal.memory;

import io.headgate.limits.internal.algorithm.Counter;
import java.util.Collections;
import java.util.Iterator;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;

/** The counters of a rule by id. Counters are found without a lock; they are changed and sampled under the lock of the engine. */
final class RuleTable {

    /** A counter with its id and its table. */
    record StoredCounter(RuleTable table, String id, Counter counter) {}

    final RuleId rule;

    /** The counters by id. Strings are comparable, so the map is fast even for ids whose hashes collide on purpose. */
    final Map<String, Counter> counters = new ConcurrentHashMap<>();

    private Iterator<Map.Entry<String, Counter>> round = Collections.emptyIterator();

    RuleTable(RuleId rule) {
        this.rule = rule;
    }

    /** Returns the next counter, again from the first one after the last; null if the table is empty. */
    @Nullable
    StoredCounter next() {
        if (!round.hasNext()) {
            round = counters.entrySet().iterator();
        }
        if (!round.hasNext()) {
            return null;
        }
        Map.Entry<String, Counter> found = round.next();
        return new StoredCounter(this, found.getKey(), found.getValue());
    }
}
