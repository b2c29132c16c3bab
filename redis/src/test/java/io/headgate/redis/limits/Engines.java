package io.headgate.redis.limits;

import io.headgate.limits.Fallback;
import io.headgate.redis.RedisSettings;
import io.headgate.redis.queues.RedisQueueEngine;
import io.lettuce.core.RedisClient;
import java.time.Duration;

/** Engines for tests of what Redis answers, however long it takes. */
public final class Engines {

    /** More than a busy machine ever needs. */
    private static final Duration PATIENCE = Duration.ofSeconds(30);

    private Engines() {}

    /** Settings whose timeout is never reached. */
    public static RedisSettings settings(String url) {
        return RedisSettings.of(url).withTimeout(PATIENCE);
    }

    /** The same of an application's client. */
    public static RedisSettings settings(RedisClient client) {
        return RedisSettings.of(client).withTimeout(PATIENCE);
    }

    /** Of limits, whose failures are failures, since a busy machine would have answers come from elsewhere. */
    public static RedisLimitEngine.Builder builder(RedisSettings settings) {
        return RedisLimitEngine.builder(settings).fallback(Fallback.none());
    }

    /** Of limits, with a timeout that is never reached. */
    public static RedisLimitEngine.Builder builder(String url) {
        return builder(settings(url));
    }

    /** Of queues and streams. */
    public static RedisQueueEngine queues(String url) {
        return RedisQueueEngine.connect(settings(url));
    }
}
