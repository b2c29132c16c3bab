package io.headgate.redis.limits.internal.denials;

import io.headgate.limits.Attributes;
import io.headgate.limits.Rule;
import io.headgate.redis.limits.internal.planner.PolicyPlanner;
import java.util.Collection;

/** A listener that is notified of refunds in Redis and of resets of counters. */
public interface RefundListener {

    /**
     * Called when permits were refunded.
     *
     * @param planner the planner of the rules' policy
     * @param rules the rules under which they were refunded
     * @param permits how many; {@link Long#MAX_VALUE} after a reset, 0 when nothing was refunded
     */
    void refunded(PolicyPlanner planner, Collection<Rule> rules, Attributes attributes, long permits);
}
