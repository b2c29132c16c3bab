package io.headgate.limits.internal.memory;

import io.headgate.limits.Attributes;
import io.headgate.limits.Decision;
import io.headgate.limits.Policy;
import io.headgate.limits.Rule;
import io.headgate.limits.TimeSource;
import io.headgate.limits.internal.algorithm.Counter;
import io.headgate.limits.internal.algorithm.Outcome;
import io.headgate.limits.internal.decision.EngineDecisions;
import io.headgate.limits.internal.decision.EngineRuleDecision;
import java.util.Comparator;
import java.util.List;
import java.util.stream.IntStream;

/**
 * Decides requests to a policy with several rules: locks the counters of all rules, reads each, and charges all of them or none.
 */
final class SeveralRulesDecider extends Decider {

    private final List<RuleCounters<?>> rules;

    /**
     * The indexes of the rules in the order of their names, in which their counters are locked. All requests to policies of this name
     * lock the same counters in the same order, so they can't deadlock. {@link CombinedDecider} sorts the counters of several policies
     * by the names of the policies first.
     */
    private final int[] lockOrder;

    SeveralRulesDecider(Policy policy, List<RuleCounters<?>> rules, Counters counters, TimeSource time) {
        super(policy, counters, time);
        this.rules = rules;
        List<Rule> named = policy.rules();
        this.lockOrder = IntStream.range(0, named.size())
                .boxed()
                .sorted(Comparator.comparing(i -> named.get(i).name()))
                .mapToInt(i -> i)
                .toArray();
    }

    @Override
    List<? extends RuleCounters<?>> rules() {
        return rules;
    }

    @Override
    Decision decide(Attributes attributes, long permits, boolean charging) {
        String[] ids = new String[rules.size()];
        for (int i = 0; i < ids.length; i++) {
            ids[i] = rules.get(i).id(attributes);
        }
        Counter[] counters = new Counter[ids.length];
        long nowMicros;
        do {
            nowMicros = time.nowMicros();
            for (int i = 0; i < ids.length; i++) {
                RuleCounters<?> rule = rules.get(i);
                counters[i] = charging ? rule.counter(ids[i], nowMicros) : rule.counterForPeek(ids[i]);
            }
        } while (!lock(counters, lockOrder));
        try {
            return decideLocked(counters, permits, nowMicros, charging);
        } finally {
            unlock(counters, lockOrder, counters.length);
        }
    }

    private Decision decideLocked(Counter[] counters, long permits, long nowMicros, boolean charging) {
        Outcome[] outcomes = new Outcome[counters.length];
        boolean admitted = true;
        for (int i = 0; i < outcomes.length; i++) {
            outcomes[i] = new Outcome();
            rules.get(i).peek(counters[i], permits, nowMicros, outcomes[i]);
            admitted &= !rules.get(i).denies(outcomes[i]);
        }
        EngineRuleDecision[] decisions = new EngineRuleDecision[outcomes.length];
        for (int i = 0; i < outcomes.length; i++) {
            if (charging) {
                rules.get(i).settle(counters[i], permits, nowMicros, admitted, outcomes[i]);
            }
            decisions[i] = rules.get(i).decision(outcomes[i]);
        }
        return EngineDecisions.of(policy, nowMicros, charging ? permits : 0, decisions);
    }

    /** Locks all counters in an order. Returns false if the engine has evicted one of them; then none is locked. */
    static boolean lock(Counter[] counters, int[] lockOrder) {
        for (int i = 0; i < lockOrder.length; i++) {
            if (!counters[lockOrder[i]].lock()) {
                unlock(counters, lockOrder, i);
                return false;
            }
        }
        return true;
    }

    static void unlock(Counter[] counters, int[] lockOrder, int locked) {
        for (int i = 0; i < locked; i++) {
            counters[lockOrder[i]].unlock();
        }
    }
}
