package io.headgate.limits.internal.memory;

import io.headgate.limits.Policy;
import io.headgate.limits.Rule;
import io.headgate.limits.internal.algorithm.LimitKind;

/** What the counters of a rule are shared by: all limiters whose policy and rule bear these names count together. */
record RuleId(String policy, String rule, LimitKind kind) {

    static RuleId of(Policy policy, Rule rule) {
        return new RuleId(policy.name(), rule.name(), LimitKind.of(rule.limit()));
    }
}
