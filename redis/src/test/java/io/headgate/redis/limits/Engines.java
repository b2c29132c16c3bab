package io.headgate.redis.limits;

import io.headgate.limits.Fallback;
import io.headgate.redis.queues.RedisQueueEngine;
import java.time.Duration;

/** Engines for tests of what Redis answers, however long it takes. */
public final class Engines {

    /** More than a busy machine ever needs. */
    private static final Duration PATIENCE = Duration.ofSeconds(30);

    private Engines() {}

    /** Of limits, whose failures are failures, since a busy machine would have answers come from elsewhere. */
    public static RedisLimitEngine.Builder builder() {
        return RedisLimitEngine.builder().fallback(Fallback.none()).timeout(PATIENCE);
    }

    /** Of queues and streams. */
    public static RedisQueueEngine queues(String url) {
        return RedisQueueEngine.builder().url(url).timeout(PATIENCE).build();
    }
}
