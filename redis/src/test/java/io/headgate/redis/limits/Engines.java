package io.headgate.redis.limits;

import io.headgate.limits.Fallback;
import io.headgate.redis.RedisSettings;
import io.headgate.redis.queues.RedisQueueEngine;
import io.lettuce.core.RedisClient;
import java.time.Duration;

/** Creates engines without fallback and with a timeout that is never reached, for tests of the results of Redis. */
public final class Engines {

    /** Longer than any reply takes on a busy machine. */
    private static final Duration PATIENCE = Duration.ofSeconds(30);

    private Engines() {}

    /** Settings whose timeout is never reached. */
    public static RedisSettings settings(String url) {
        return RedisSettings.of(url).withTimeout(PATIENCE);
    }

    /** Settings of an application's client, whose timeout is never reached. */
    public static RedisSettings settings(RedisClient client) {
        return RedisSettings.of(client).withTimeout(PATIENCE);
    }

    /**
     * A builder of a limit engine without fallback, so that a late reply is a failure and never a decision of the fallback; and without
     * bans, whose polls a test would count.
     */
    public static RedisLimitEngine.Builder builder(RedisSettings settings) {
        return RedisLimitEngine.builder(settings).fallback(Fallback.none()).bans(false);
    }

    /** A builder of a limit engine without fallback, with a timeout that is never reached. */
    public static RedisLimitEngine.Builder builder(String url) {
        return builder(settings(url));
    }

    /** A queue engine with a timeout that is never reached. */
    public static RedisQueueEngine queues(String url) {
        return RedisQueueEngine.connect(settings(url));
    }
}
