package io.headgate.limits;

/**
 * Whether the keys of a policy share a hash slot of a Redis Cluster. On a single Redis, both choices decide in one script call.
 * On a Cluster, the keys of one slot are charged in one call, all or none. With keys in several slots, the limiter reserves
 * permits in each slot, and releases them if another slot denies; meanwhile other requests may be denied wrongly, but never
 * admitted wrongly. The choice is part of the keys, so a change starts new counts.
 */
public enum Colocation {
    /** Each key has a slot of its own, so the load of one policy is spread over the Cluster. The default. */
    SPREAD,
    /** All keys of the policy share one slot, and so the capacity of one master. */
    POLICY
}
