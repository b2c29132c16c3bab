package io.headgate.limits;

/**
 * Whether the keys of a policy share a hash slot of a Redis Cluster. On a single Redis both decide in one call, all or
 * nothing; the choice shows in the keys, so changing it starts new counts.
 */
public enum Colocation {
    /**
     * Each key has its own slot: the load of one policy spreads over the Cluster. The default. Rules in different
     * slots take one call each.
     */
    SPREAD,
    /** All keys of the policy share one slot: one call whatever the rules, and one slot's capacity for all of it. */
    POLICY
}
