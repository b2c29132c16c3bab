package io.headgate.limits.internal;

import io.headgate.limits.AsyncLimiter;
import io.headgate.limits.Attributes;
import io.headgate.limits.Decision;
import io.headgate.limits.Limiter;
import io.headgate.limits.Policy;
import io.headgate.limits.Request;
import io.headgate.limits.Rule;
import io.headgate.limits.TimeSource;
import java.util.List;
import java.util.Map;

/** What limiters of one rule and of several have in common: all but how they decide. */
public abstract sealed class InMemoryLimiter implements Limiter permits OneRuleLimiter, SeveralRulesLimiter {

    final Policy policy;
    final TimeSource time;
    private final DecisionListeners listeners;
    private final boolean heard;
    private final AsyncLimiter async = new ImmediateAsyncLimiter(this);

    InMemoryLimiter(Policy policy, TimeSource time, DecisionListeners listeners) {
        this.policy = policy;
        this.time = time;
        this.listeners = listeners;
        this.heard = !listeners.isEmpty();
    }

    /** A limiter that shares the counters of all limiters whose policies and rules bear the same names. */
    public static InMemoryLimiter of(Policy policy, Counters counters, TimeSource time, DecisionListeners listeners) {
        counters.requireOpen();
        List<? extends RuleCounters<?>> rules = policy.rules().stream()
                .map(rule -> RuleCounters.of(policy, rule, counters))
                .toList();
        return rules.size() == 1
                ? new OneRuleLimiter(policy, rules.get(0), time, listeners)
                : new SeveralRulesLimiter(policy, List.copyOf(rules), time, listeners);
    }

    @Override
    public final Policy policy() {
        return policy;
    }

    @Override
    public final AsyncLimiter async() {
        return async;
    }

    @Override
    public final Decision tryAcquire(Attributes attributes, long permits) {
        Bounds.requestedPermits(permits);
        Decision decision = decide(attributes, permits, true);
        tell(attributes, permits, decision);
        return decision;
    }

    @Override
    public final Decision peek(Attributes attributes, long permits) {
        Bounds.requestedPermits(permits);
        return decide(attributes, permits, false);
    }

    @Override
    public final long refund(Attributes attributes, Decision decision) {
        return refund(attributes, Charge.of(policy, decision));
    }

    @Override
    public final long refund(Attributes attributes, long permits) {
        Bounds.requestedPermits(permits);
        return refund(attributes, Charge.ofOldest(policy, permits));
    }

    private long refund(Attributes attributes, Map<Rule, Charge> charges) {
        long nowMicros = time.nowMicros();
        long most = 0;
        for (Map.Entry<Rule, Charge> charge : charges.entrySet()) {
            RuleCounters<?> rule = rules().get(policy.rules().indexOf(charge.getKey()));
            most = Math.max(most, rule.refund(attributes, charge.getValue(), nowMicros));
        }
        return most;
    }

    @Override
    public final boolean reset(String rule, Attributes attributes) {
        return rules().get(policy.rules().indexOf(policy.rule(rule))).reset(attributes);
    }

    /** What each rule has counted, in the order of the policy. */
    abstract List<? extends RuleCounters<?>> rules();

    /** Decides, and charges when it is allowed and was not only asked. */
    abstract Decision decide(Attributes attributes, long permits, boolean charging);

    final boolean isHeard() {
        return heard;
    }

    final void tell(Attributes attributes, long permits, Decision decision) {
        if (heard) {
            listeners.onDecision(new Request(policy, attributes, permits), decision);
        }
    }
}
