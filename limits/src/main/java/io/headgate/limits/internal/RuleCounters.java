package io.headgate.limits.internal;

import io.headgate.limits.Attributes;
import io.headgate.limits.Rule;
import java.util.List;

/**
 * One rule of a limiter in memory: its algorithm, and the table of its counters, which other limiters of the same
 * policy may share.
 */
final class RuleCounters<S> {

    private final Rule rule;
    private final Algorithm<S> algorithm;
    private final CounterTable<S> table;

    RuleCounters(Rule rule, Algorithm<S> algorithm, CounterTable<S> table) {
        this.rule = rule;
        this.algorithm = algorithm;
        this.table = table;
    }

    Object id(Attributes attributes) {
        List<String> ids = attributes.idsOf(rule);
        return ids.size() == 1 ? ids.get(0) : ids;
    }

    Counter<S> counter(Object id, long nowMicros) {
        return table.counter(id, algorithm, nowMicros);
    }

    /** The counter if there is one, else an empty one that is not kept. */
    Counter<S> counterToLookAt(Object id) {
        return table.find(id, algorithm);
    }

    boolean remove(Object id) {
        return table.remove(id);
    }

    void look(Counter<?> counter, long permits, long nowMicros, Outcome outcome) {
        algorithm.look(own(counter).state, permits, nowMicros, outcome);
    }

    void charge(Counter<?> counter, long permits, long nowMicros, Outcome outcome) {
        Counter<S> own = own(counter);
        algorithm.charge(own.state, permits, nowMicros, outcome);
        own.quietAtMicros = Math.max(own.quietAtMicros, nowMicros + outcome.resetMicros);
    }

    /** A limiter holds counters of several rules in one array, and asks each rule only about its own. */
    @SuppressWarnings("unchecked")
    private Counter<S> own(Counter<?> counter) {
        return (Counter<S>) counter;
    }
}
