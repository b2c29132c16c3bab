package io.headgate.redis.limits.internal.denials;

import io.headgate.limits.Attributes;
import io.headgate.limits.Rule;
import io.headgate.redis.limits.internal.planner.PolicyPlanner;
import java.util.Collection;

/** Is notified of permits that were refunded in Redis, or of a counter that was reset. */
public interface RefundListener {

    /**
     * Permits were refunded.
     *
     * @param planner the planner of the rules' policy
     * @param rules the rules that refunded them
     * @param permits how many; {@link Long#MAX_VALUE} after a reset, 0 when nothing was refunded
     */
    void refunded(PolicyPlanner planner, Collection<Rule> rules, Attributes attributes, long permits);
}
