package io.headgate.redis.limits;

import io.headgate.limits.Attributes;
import io.headgate.limits.Rule;

/**
 * What is known of a rule before anything is asked.
 *
 * @param stem the part of its keys that is the same for all ids
 * @param argument what scripts are told of its limit
 */
record RulePlan(Rule rule, String stem, RuleArgument argument) {

    String key(Attributes attributes) {
        return Keys.key(stem, rule, attributes);
    }
}
