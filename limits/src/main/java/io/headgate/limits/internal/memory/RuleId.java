package io.headgate.limits.internal.memory;

import io.headgate.limits.Policy;
import io.headgate.limits.Rule;
import io.headgate.limits.internal.algorithm.LimitKind;

/** The id of the counters of a rule. All limiters whose policy and rule have these names, and this kind of limit, share the counters. */
record RuleId(String policy, String rule, LimitKind kind) {

    static RuleId of(Policy policy, Rule rule) {
        return new RuleId(policy.name(), rule.name(), LimitKind.of(rule.limit()));
    }
}
