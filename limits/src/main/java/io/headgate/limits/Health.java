package io.headgate.limits;

/** How an engine finds its Redis. */
public enum Health {

    /** It answers. */
    HEALTHY,

    /** It answers, but some calls of the last second failed or took longer than they may. Everything is still asked. */
    SLOW,

    /** It does not answer, or only with errors. Nothing is asked but whether it is back, and policies' {@link Fallback}s answer. */
    DEGRADED,

    /** It answers again: what was spent meanwhile is being charged, and fallbacks still answer. */
    PROBING;

    /** Whether decisions are asked of Redis. */
    public boolean asksRedis() {
        return this == HEALTHY || this == SLOW;
    }
}
