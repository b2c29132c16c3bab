package io.headgate.limits;

/**
 * Whether the keys of a policy share a hash slot of a Redis Cluster. Clusters are not supported yet; on a single Redis
 * both decide in one call, all or nothing. The choice shows in the keys, so changing it starts new counts.
 */
public enum Colocation {
    /** Each key has its own slot: the load of one policy spreads over a Cluster. The default. */
    SPREAD,
    /** All keys of the policy share one slot, and so that slot's capacity. */
    POLICY
}
