package io.headgate.limits.internal.overrides;

import io.headgate.limits.Rule;

/** A rule with the limit of an override. There is one instance for each limit of a rule, compared by identity. */
final class EffectiveRule {

    /** The place of the rule in its policy. */
    final int index;

    final Rule rule;

    /** Whether the limit is that of the rule itself, so that nothing changes. */
    final boolean isUnchanged;

    EffectiveRule(int index, Rule rule, boolean isUnchanged) {
        this.index = index;
        this.rule = rule;
        this.isUnchanged = isUnchanged;
    }
}
