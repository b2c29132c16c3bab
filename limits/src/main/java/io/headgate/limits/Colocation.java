package io.headgate.limits;

/**
 * Whether the keys of a policy share a hash slot of a Redis Cluster. On a single Redis, one script call decides a request with either
 * choice.
 *
 * <p>On a Cluster, one call charges all keys of a slot or none. If the keys are in several slots, the limiter reserves permits in each
 * slot, and releases them if another slot denies the request. Until the release, other requests may be denied wrongly, but none is
 * admitted wrongly.
 *
 * <p>The choice is part of the keys, so changing it starts new counts.
 */
public enum Colocation {
    /** Each key has a slot of its own, so the load of one policy is spread over the Cluster. The default. */
    SPREAD,
    /** All keys of the policy share one slot, and so the capacity of one master. */
    POLICY
}
