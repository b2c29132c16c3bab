package io.headgate.limits.internal.overrides;

import io.headgate.limits.Rule;

/**
 * A rule whose limit is that of an override. There is one instance for each such limit of a rule, so instances are compared by identity.
 */
final class EffectiveRule {

    /** The index of the rule in its policy. */
    final int index;

    final Rule rule;

    /** Whether the limit equals that of the rule itself. The override still takes precedence over less specific ones. */
    final boolean isUnchanged;

    EffectiveRule(int index, Rule rule, boolean isUnchanged) {
        this.index = index;
        this.rule = rule;
        this.isUnchanged = isUnchanged;
    }
}
