package io.headgate.limits.internal;

import io.headgate.limits.Policy;
import io.headgate.limits.Rule;
import io.headgate.limits.TimeSource;
import java.util.List;
import java.util.concurrent.ConcurrentHashMap;

/** All that an engine in memory counts, and the limiters that count there: one table for each rule of each policy. */
public final class CounterTables {

    private record RuleId(String policy, String rule, LimitKind kind) {}

    private final ConcurrentHashMap<RuleId, CounterTable<?>> tables = new ConcurrentHashMap<>();
    private final TimeSource time;
    private final int maxKeysPerRule;
    private final DecisionListeners listeners;

    public CounterTables(TimeSource time, int maxKeysPerRule, DecisionListeners listeners) {
        this.time = time;
        this.maxKeysPerRule = maxKeysPerRule;
        this.listeners = listeners;
    }

    /** A limiter that shares the tables of all limiters whose policies and rules bear the same names. */
    public InMemoryLimiter limiter(Policy policy) {
        List<? extends RuleCounters<?>> rules = policy.rules().stream()
                .map(rule -> counters(policy, rule, Algorithm.of(rule.limit())))
                .toList();
        return new InMemoryLimiter(policy, List.copyOf(rules), time, listeners);
    }

    /** How many counters there are. */
    public long size() {
        return tables.values().stream().mapToLong(CounterTable::size).sum();
    }

    /** Forgets everything. */
    public void clear() {
        tables.clear();
    }

    /** A table's states are those of the kind of limit in its id, so the cast holds. */
    @SuppressWarnings("unchecked")
    private <S> RuleCounters<S> counters(Policy policy, Rule rule, Algorithm<S> algorithm) {
        RuleId id = new RuleId(policy.name(), rule.name(), LimitKind.of(rule.limit()));
        CounterTable<?> table = tables.computeIfAbsent(id, ignored -> new CounterTable<S>(maxKeysPerRule));
        return new RuleCounters<>(rule, algorithm, (CounterTable<S>) table);
    }
}
