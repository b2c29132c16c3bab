package io.headgate.limits;

/** The health of an engine's connection to Redis, from the outcomes of its calls. */
public enum Health {

    /** Redis replies. */
    HEALTHY,

    /** Some calls fail or time out: at least three recently. All requests are still sent to Redis; a fallback decides late ones. */
    SLOW,

    /**
     * Redis does not reply, or only with errors. The {@link Fallback} of each policy decides, and the engine sends probes to Redis.
     * Requests to policies without a fallback are still sent to Redis.
     */
    DEGRADED,

    /** Redis replies to probes again. Fallbacks still decide; the engine first charges the usage of the outage in Redis. */
    PROBING;

    /** Whether all requests are sent to Redis; otherwise the fallbacks decide, for policies that have one. */
    public boolean callsRedis() {
        return this == HEALTHY || this == SLOW;
    }
}
