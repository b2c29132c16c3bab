package io.headgate.redis.limits;

import io.headgate.limits.Fallback;

/** Engines for tests of what Redis answers, however long it takes. */
public final class Engines {

    private Engines() {}

    /** One whose failures are failures, since a busy machine would have answers come from elsewhere. */
    public static RedisLimits.Builder builder() {
        return RedisLimits.builder().fallback(Fallback.none());
    }
}
