package io.headgate.spring.operations;

import io.headgate.limits.Attributes;
import io.headgate.limits.Decision;
import io.headgate.limits.Decision.Basis;
import io.headgate.limits.Hold;
import io.headgate.limits.InFlightPolicy;
import io.headgate.limits.LimitListener;
import io.headgate.limits.LimiterException;
import io.headgate.limits.Policy;
import io.headgate.limits.RuleDecision;
import java.util.EnumSet;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.LongAdder;

/**
 * Counts decisions, holds and failures since the start of the application, by policies and rules. Memory is bounded: it counts the first
 * {@value FirstPolicies#MAX_POLICIES} policies separately, and {@value #MAX_RULES} rules of each, which is more than a policy has unless
 * it is updated. Safe for use by any number of threads.
 */
final class DecisionCounts implements LimitListener {

    static final int MAX_RULES = 64;

    private static final Set<Basis> BY_FALLBACK = EnumSet.of(Basis.LOCAL_SHARE, Basis.OPEN, Basis.CLOSED);

    private final FirstPolicies<PolicyCounts> counts = new FirstPolicies<>(policy -> new PolicyCounts());

    @Override
    public void onDecision(Policy policy, Attributes attributes, long permits, Decision decision, long elapsedNanos) {
        PolicyCounts count = counts.get(policy.name());
        count.add(decision.allowed(), decision.basis());
        // By name: a cached denial and a fallback do not list all rules.
        for (RuleDecision rule : decision.rules()) {
            if (!rule.allowed()) {
                count.addDenial(rule.rule().name());
            }
        }
    }

    @Override
    public void onHold(InFlightPolicy policy, Attributes attributes, long permits, Hold hold, long elapsedNanos) {
        PolicyCounts count = counts.get(policy.name());
        count.add(hold.allowed(), hold.inFlight().basis());
        if (hold.deniedBy().isPresent()) {
            hold.inFlight().rules().stream()
                    .filter(rule -> rule.free() < permits)
                    .forEach(rule -> count.addDenial(rule.rule().name()));
        }
    }

    @Override
    public void onFailure(Policy policy, Attributes attributes, long permits, LimiterException failure) {
        counts.get(policy.name()).failed.increment();
    }

    @Override
    public void onHoldFailure(InFlightPolicy policy, Attributes attributes, long permits, LimiterException failure) {
        counts.get(policy.name()).failed.increment();
    }

    /** Returns the counts of a policy, as members of a JSON object; zeros if it has not been used. */
    Map<String, Object> members(String policy) {
        return counts.find(policy).orElseGet(PolicyCounts::new).members();
    }

    /** Returns the counts of the policies that are not counted separately; empty if there are none. */
    Optional<Map<String, Object>> others() {
        return counts.others().map(PolicyCounts::members);
    }

    /** Returns the number of requests that a rule denied, alone or with others; in shadow mode, would have denied. */
    long denied(String policy, String rule) {
        return counts.find(policy)
                .flatMap(count -> Optional.ofNullable(count.deniedBy.get(rule)))
                .map(LongAdder::sum)
                .orElse(0L);
    }

    /** The counts of one policy. */
    private static final class PolicyCounts {

        private final LongAdder allowed = new LongAdder();
        private final LongAdder denied = new LongAdder();
        private final LongAdder byFallback = new LongAdder();
        private final LongAdder failed = new LongAdder();
        private final Map<String, LongAdder> deniedBy = new ConcurrentHashMap<>();

        void add(boolean admitted, Basis basis) {
            (admitted ? allowed : denied).increment();
            if (BY_FALLBACK.contains(basis)) {
                byFallback.increment();
            }
        }

        void addDenial(String rule) {
            LongAdder count = deniedBy.get(rule);
            if (count == null && deniedBy.size() < MAX_RULES) {
                count = deniedBy.computeIfAbsent(rule, name -> new LongAdder());
            }
            if (count != null) {
                count.increment();
            }
        }

        Map<String, Object> members() {
            Map<String, Object> members = new LinkedHashMap<>();
            members.put("allowed", allowed.sum());
            members.put("denied", denied.sum());
            members.put("byFallback", byFallback.sum());
            members.put("failed", failed.sum());
            return members;
        }
    }
}
