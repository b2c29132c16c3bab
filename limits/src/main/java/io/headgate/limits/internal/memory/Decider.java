package io.headgate.limits.internal.memory;

import io.headgate.limits.Attributes;
import io.headgate.limits.Decision;
import io.headgate.limits.Policy;
import io.headgate.limits.Rule;
import io.headgate.limits.TimeSource;
import io.headgate.limits.internal.Micros;
import io.headgate.limits.internal.algorithm.Charge;
import java.util.List;
import java.util.Map;

/** Decides requests by one version of a policy without overrides, over the counters of an engine in memory. */
abstract sealed class Decider permits OneRuleDecider, SeveralRulesDecider {

    final Policy policy;
    final TimeSource time;

    private final RefundRecords refunds;

    Decider(Policy policy, Counters counters, TimeSource time) {
        this.policy = policy;
        this.time = time;
        this.refunds = counters.refunds();
    }

    static Decider of(Policy policy, Counters counters, TimeSource time) {
        List<? extends RuleCounters<?>> rules = policy.rules().stream()
                .map(rule -> RuleCounters.of(policy, rule, counters))
                .toList();
        return rules.size() == 1
                ? new OneRuleDecider(policy, rules.get(0), counters, time)
                : new SeveralRulesDecider(policy, List.copyOf(rules), counters, time);
    }

    /**
     * Decides a request.
     *
     * @param charging false for a peek; if true, an allowed request is charged, and a denied one is charged to rules that count attempts
     */
    abstract Decision decide(Attributes attributes, long permits, boolean charging);

    /** Decides a request for a single id, and charges it as {@link #decide} does. */
    Decision acquire(String id, long permits) {
        return decide(policy.attributesOf(id), permits, true);
    }

    /** The counters of each rule, in the order of the policy. */
    abstract List<? extends RuleCounters<?>> rules();

    /** Refunds charges, and returns the permits refunded by the rule that refunded most. */
    final long refund(Attributes attributes, Map<Rule, Charge> charges) {
        // Fails before anything is refunded if a dimension is missing.
        charges.keySet().forEach(attributes::idsOf);
        return refund(attributes, charges, time.nowMicros());
    }

    /** Refunds a decision unless it was refunded before, and returns the permits refunded by the rule that refunded most. */
    final long refundOnce(Attributes attributes, Decision decision, Map<Rule, Charge> charges) {
        // Fails before anything is refunded if a dimension is missing.
        charges.keySet().forEach(attributes::idsOf);
        if (charges.isEmpty()) {
            return 0;
        }
        long nowMicros = time.nowMicros();
        long countsUntilMicros =
                charges.values().stream().mapToLong(Charge::wholeAtMicros).max().orElse(nowMicros);
        RefundRecords.Refund refund = new RefundRecords.Refund(
                policy.name(), decision.chargeId(), Micros.of(decision.decidedAt()), countsUntilMicros);
        return refunds.once(refund, nowMicros, () -> refund(attributes, charges, nowMicros));
    }

    private long refund(Attributes attributes, Map<Rule, Charge> charges, long nowMicros) {
        long most = 0;
        for (Map.Entry<Rule, Charge> charge : charges.entrySet()) {
            RuleCounters<?> rule = rules().get(policy.rules().indexOf(charge.getKey()));
            most = Math.max(most, rule.refund(attributes, charge.getValue(), nowMicros));
        }
        return most;
    }

    /** Charges permits to the rule with this index in the policy, but only as many as it admits. */
    final void charge(int ofRule, Attributes attributes, long permits) {
        if (permits > 0) {
            rules().get(ofRule).charge(attributes, permits, time.nowMicros());
        }
    }

    /** The number of permits that are not available now under the rule with this index in the policy. */
    final long used(int ofRule, Attributes attributes) {
        return policy.rules().get(ofRule).limit().permits()
                - rules().get(ofRule).remaining(attributes, time.nowMicros());
    }

    final boolean reset(String rule, Attributes attributes) {
        return rules().get(policy.rules().indexOf(policy.rule(rule))).reset(attributes);
    }
}
