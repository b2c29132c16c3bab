package io.headgate.redis.limits.internal.planner;

import io.headgate.limits.Attributes;
import io.headgate.limits.Rule;

/**
 * A rule with the parts of its calls that planners prepare once.
 *
 * @param stem the part of its keys that is the same for all ids
 * @param argument the argument with its encoded limit
 */
record RulePlan(Rule rule, String stem, RuleArgument argument) {

    /** The key of the rule for a request with these attributes. */
    String key(Attributes attributes) {
        return Keys.key(stem, rule, attributes);
    }
}
