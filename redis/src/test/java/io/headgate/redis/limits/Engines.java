package io.headgate.redis.limits;

import io.headgate.limits.Fallback;
import io.headgate.redis.queues.RedisQueues;
import java.time.Duration;

/** Engines for tests of what Redis answers, however long it takes. */
public final class Engines {

    /** More than a busy machine ever needs. */
    private static final Duration PATIENCE = Duration.ofSeconds(30);

    private Engines() {}

    /** Of limits, whose failures are failures, since a busy machine would have answers come from elsewhere. */
    public static RedisLimits.Builder builder() {
        return RedisLimits.builder().fallback(Fallback.none()).timeout(PATIENCE);
    }

    /** Of queues and streams. */
    public static RedisQueues queues(String url) {
        return RedisQueues.builder().url(url).timeout(PATIENCE).build();
    }
}
