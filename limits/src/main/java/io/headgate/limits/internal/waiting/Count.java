package io.headgate.limits.internal.waiting;

import io.headgate.limits.Attributes;
import io.headgate.limits.Rule;
import java.util.List;

/**
 * Identifies a count: the name of a rule, and the ids by which it counts. A refund or reset wakes the requests that the count denied.
 */
record Count(String rule, List<String> ids) {

    static Count of(Rule rule, Attributes attributes) {
        return new Count(rule.name(), attributes.idsOf(rule));
    }

    /** Whether requests with these attributes have this count. */
    boolean isOf(Rule rule, Attributes attributes) {
        return attributes.asMap().keySet().containsAll(rule.dimensions()) && ids.equals(attributes.idsOf(rule));
    }
}
