package io.headgate.limits.internal;

import io.headgate.limits.AsyncLimiter;
import io.headgate.limits.Attributes;
import io.headgate.limits.Decision;
import io.headgate.limits.Limiter;
import io.headgate.limits.Policy;
import io.headgate.limits.Request;
import io.headgate.limits.RuleDecision;
import io.headgate.limits.TimeSource;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Decides one policy in memory: locks the counters of all its rules, looks at each, and charges all of them or none.
 */
public final class InMemoryLimiter implements Limiter {

    private final Policy policy;
    private final List<RuleCounters<?>> rules;
    private final TimeSource time;
    private final DecisionListeners listeners;
    private final AsyncLimiter async = new ImmediateAsyncLimiter(this);

    InMemoryLimiter(Policy policy, List<RuleCounters<?>> rules, TimeSource time, DecisionListeners listeners) {
        this.policy = policy;
        this.rules = rules;
        this.time = time;
        this.listeners = listeners;
    }

    @Override
    public Policy policy() {
        return policy;
    }

    @Override
    public AsyncLimiter async() {
        return async;
    }

    @Override
    public Decision tryAcquire(Attributes attributes, long permits) {
        Bounds.requestedPermits(permits);
        Decision decision = decide(attributes, permits, true);
        if (!listeners.isEmpty()) {
            listeners.onDecision(new Request(policy, attributes, permits), decision);
        }
        return decision;
    }

    @Override
    public Decision peek(Attributes attributes, long permits) {
        Bounds.requestedPermits(permits);
        return decide(attributes, permits, false);
    }

    @Override
    public boolean reset(String rule, Attributes attributes) {
        RuleCounters<?> counters = rules.get(policy.rules().indexOf(policy.rule(rule)));
        return counters.remove(counters.id(attributes));
    }

    private Decision decide(Attributes attributes, long permits, boolean charging) {
        Object[] ids = new Object[rules.size()];
        for (int i = 0; i < ids.length; i++) {
            ids[i] = rules.get(i).id(attributes);
        }
        Decision decision = null;
        while (decision == null) {
            decision = new Deciding(counters(ids, charging), permits, charging).lockAndDecide(0);
        }
        return decision;
    }

    private Counter<?>[] counters(Object[] ids, boolean charging) {
        Counter<?>[] counters = new Counter<?>[ids.length];
        for (int i = 0; i < ids.length; i++) {
            RuleCounters<?> rule = rules.get(i);
            counters[i] = charging ? rule.counter(ids[i], time.nowMicros()) : rule.counterToLookAt(ids[i]);
        }
        return counters;
    }

    /** One decision under way. */
    private final class Deciding {

        private final Counter<?>[] counters;
        private final Counter<?>[] inLockOrder;
        private final long permits;
        private final boolean charging;

        Deciding(Counter<?>[] counters, long permits, boolean charging) {
            this.counters = counters;
            this.inLockOrder = counters.clone();
            Arrays.sort(inLockOrder, Comparator.comparingLong(counter -> counter.order));
            this.permits = permits;
            this.charging = charging;
        }

        /** Locks one counter after the other and decides under all locks; null when one has left its table. */
        @Nullable
        Decision lockAndDecide(int locked) {
            if (locked == inLockOrder.length) {
                return decide();
            }
            synchronized (inLockOrder[locked]) {
                return inLockOrder[locked].evicted ? null : lockAndDecide(locked + 1);
            }
        }

        private Decision decide() {
            long nowMicros = time.nowMicros();
            Outcome[] outcomes = new Outcome[counters.length];
            boolean allowed = true;
            for (int i = 0; i < outcomes.length; i++) {
                outcomes[i] = new Outcome();
                rules.get(i).look(counters[i], permits, nowMicros, outcomes[i]);
                allowed &= outcomes[i].allowed();
            }
            RuleDecision[] decisions = new RuleDecision[outcomes.length];
            for (int i = 0; i < outcomes.length; i++) {
                if (allowed && charging) {
                    rules.get(i).charge(counters[i], permits, nowMicros, outcomes[i]);
                }
                decisions[i] = outcomes[i].of(policy.rules().get(i));
            }
            return Decision.of(policy, nowMicros, decisions);
        }
    }
}
