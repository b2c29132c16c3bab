package io.headgate.limits.internal.memory;

import io.headgate.limits.Attributes;
import io.headgate.limits.Decision;
import io.headgate.limits.Policy;
import io.headgate.limits.TimeSource;
import io.headgate.limits.internal.BoundedId;
import io.headgate.limits.internal.Bounds;
import io.headgate.limits.internal.algorithm.Counter;
import io.headgate.limits.internal.algorithm.Outcome;
import io.headgate.limits.internal.decision.EngineDecisions;
import java.util.List;

/** Decides requests to a policy with one rule, the common case, without arrays, lists and an order of locks. */
final class OneRuleDecider extends Decider {

    private final RuleCounters<?> rule;
    private final boolean byOneId;

    OneRuleDecider(Policy policy, RuleCounters<?> rule, Counters counters, TimeSource time) {
        super(policy, counters, time);
        this.rule = rule;
        this.byOneId = policy.rules().get(0).dimensions().size() == 1;
    }

    /** Decides without creating attributes. */
    @Override
    Decision acquire(String id, long permits) {
        return byOneId ? decide(BoundedId.of(Bounds.id("id", id)), permits, true) : super.acquire(id, permits);
    }

    @Override
    List<? extends RuleCounters<?>> rules() {
        return List.of(rule);
    }

    @Override
    Decision decide(Attributes attributes, long permits, boolean charging) {
        return decide(rule.id(attributes), permits, charging);
    }

    private Decision decide(String id, long permits, boolean charging) {
        Counter counter;
        long nowMicros;
        do {
            // Read before locking, to hold the lock for as short as possible. The time of a counter never runs
            // backwards anyway.
            nowMicros = time.nowMicros();
            counter = charging ? rule.counter(id, nowMicros) : rule.counterForPeek(id);
        } while (!counter.lock());
        Outcome outcome = new Outcome();
        try {
            if (charging) {
                rule.acquire(counter, permits, nowMicros, outcome);
            } else {
                rule.peek(counter, permits, nowMicros, outcome);
            }
        } finally {
            counter.unlock();
        }
        return EngineDecisions.of(policy, nowMicros, charging ? permits : 0, rule.decision(outcome));
    }
}
