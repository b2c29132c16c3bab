package io.headgate.server.serve;

import io.headgate.limits.Decision;
import io.headgate.limits.DecisionListener;
import io.headgate.limits.LimiterException;
import io.headgate.limits.Policy;
import io.headgate.limits.Request;
import io.headgate.limits.Rule;
import io.headgate.limits.RuleDecision;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.atomic.LongAdder;

/** Counts decisions since the start, by policy and rule. Bounded, because the policies are. */
public final class Counts implements DecisionListener {

    private final Map<String, OfPolicy> byPolicy = new HashMap<>();

    public Counts(List<Policy> policies) {
        policies.forEach(policy -> byPolicy.put(policy.name(), new OfPolicy(policy)));
    }

    @Override
    public void onDecision(Request request, Decision decision) {
        OfPolicy counts = byPolicy.get(request.policy().name());
        if (counts != null) {
            counts.add(decision);
        }
    }

    @Override
    public void onFailure(Request request, LimiterException failure) {
        OfPolicy counts = byPolicy.get(request.policy().name());
        if (counts != null) {
            counts.failed.increment();
        }
    }

    long allowed(Policy policy) {
        return of(policy).allowed.sum();
    }

    public long denied(Policy policy) {
        return of(policy).denied.sum();
    }

    long failed(Policy policy) {
        return of(policy).failed.sum();
    }

    /** How many requests this rule denied, alone or together with others; of one in the shadow, would have denied. */
    public long denied(Policy policy, Rule rule) {
        return of(policy).deniedBy(rule).sum();
    }

    private OfPolicy of(Policy policy) {
        OfPolicy counts = byPolicy.get(policy.name());
        if (counts == null) {
            throw new IllegalArgumentException("policy " + policy.name() + " is not counted here");
        }
        return counts;
    }

    private static final class OfPolicy {

        private final LongAdder allowed = new LongAdder();
        private final LongAdder denied = new LongAdder();
        private final LongAdder failed = new LongAdder();
        private final Map<String, LongAdder> deniedBy = new HashMap<>();

        private OfPolicy(Policy policy) {
            policy.rules().forEach(rule -> deniedBy.put(rule.name(), new LongAdder()));
        }

        private LongAdder deniedBy(Rule rule) {
            return Objects.requireNonNull(deniedBy.get(rule.name()), rule.name());
        }

        private void add(Decision decision) {
            (decision.allowed() ? allowed : denied).increment();
            // By name: a decision that does not rest on the counts is not of all rules.
            for (RuleDecision rule : decision.rules()) {
                if (!rule.allowed()) {
                    deniedBy(rule.rule()).increment();
                }
            }
        }
    }
}
