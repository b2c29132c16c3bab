package io.headgate.limits;

/** The health of an engine's connection to Redis, from the outcomes of its calls. */
public enum Health {

    /** Redis replies. */
    HEALTHY,

    /** Redis replies, but at least three calls failed or timed out recently. All decisions are still sent to Redis. */
    SLOW,

    /**
     * Redis does not reply, or only with errors. The {@link Fallback} of each policy decides, and the engine only sends probes to
     * Redis.
     */
    DEGRADED,

    /** Redis replies to probes again. The engine charges the usage of the outage in Redis, and fallbacks still decide. */
    PROBING;

    /** Whether Redis decides requests; otherwise fallbacks do. */
    public boolean asksRedis() {
        return this == HEALTHY || this == SLOW;
    }
}
