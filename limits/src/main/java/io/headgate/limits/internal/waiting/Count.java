package io.headgate.limits.internal.waiting;

import io.headgate.limits.Attributes;
import io.headgate.limits.Rule;
import java.util.List;

/** What one rule of a policy counts for somebody: which waits it denied, and which of them a change may serve. */
record Count(String rule, List<String> ids) {

    static Count of(Rule rule, Attributes attributes) {
        return new Count(rule.name(), attributes.idsOf(rule));
    }

    /** Whether these attributes are counted here, too. */
    boolean isOf(Rule rule, Attributes attributes) {
        return attributes.asMap().keySet().containsAll(rule.dimensions()) && ids.equals(attributes.idsOf(rule));
    }
}
