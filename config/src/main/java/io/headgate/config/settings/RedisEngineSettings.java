package io.headgate.config.settings;

import io.headgate.limits.Fallback;
import io.headgate.limits.hotkeys.HotKeys;
import io.headgate.redis.RedisSettings;
import io.headgate.redis.limits.RedisLimitEngine;
import io.headgate.redis.queues.RedisQueueEngine;
import java.time.Duration;

/**
 * All settings of the engines on one Redis. {@link RedisConfig} reads them from YAML or from properties.
 *
 * <pre>{@code
 * RedisEngineSettings settings = RedisConfig.read(Path.of("redis.yaml"));
 * LimitEngine limits = settings.limits().build();
 * QueueEngine queues = settings.queues().build();
 * }</pre>
 *
 * <p>Immutable. The builders of the engines check all ranges. {@link #toString} contains neither user nor password.
 *
 * @param connection the connection of both engines
 * @param fallback how limits are decided while Redis does not reply, for policies without a fallback of their own
 * @param expectedInstances the number of instances that share the limits, which is used until Redis has reported it: 1 to 10 000
 * @param batching whether concurrent requests to a limiter are batched into one script call
 * @param maxCachedDenials the most denials of each rule that the engine caches in a second: 0 to 1 000 000
 * @param invalidations whether the engine publishes refunds, resets and changed limits to other engines, and receives theirs
 * @param requestIdHorizon how long the engine recognizes a repeated request id: 1 second to 1 day
 * @param hotKeys whether the engine counts the hottest keys and writes them to Redis
 * @param hotKeysInterval the time between two writes of hot keys to Redis: 100 ms to 1 minute
 */
public record RedisEngineSettings(
        RedisSettings connection,
        Fallback fallback,
        int expectedInstances,
        boolean batching,
        int maxCachedDenials,
        boolean invalidations,
        Duration requestIdHorizon,
        boolean hotKeys,
        Duration hotKeysInterval) {

    /**
     * Checks all values.
     *
     * @throws IllegalArgumentException if a value is out of range, or the budget of the fallback is longer than the timeout of the
     *     connection
     */
    public RedisEngineSettings {
        fallback.budget()
                .filter(budget -> budget.compareTo(connection.timeout()) > 0)
                .ifPresent(budget -> {
                    throw new IllegalArgumentException("budget must be at most the timeout of "
                            + connection.timeout().toMillis() + "ms, was " + budget.toMillis() + "ms");
                });
        // The builder checks the other values.
        limitsBuilder(
                connection,
                fallback,
                expectedInstances,
                batching,
                maxCachedDenials,
                invalidations,
                requestIdHorizon,
                hotKeysInterval);
    }

    /** Returns the default settings for a connection. */
    public static RedisEngineSettings of(RedisSettings connection) {
        return new RedisEngineSettings(
                connection,
                Fallback.local(),
                1,
                true,
                50_000,
                true,
                Duration.ofMinutes(1),
                false,
                Duration.ofSeconds(10));
    }

    /** Returns a copy with another fallback. */
    public RedisEngineSettings withFallback(Fallback other) {
        return new RedisEngineSettings(
                connection,
                other,
                expectedInstances,
                batching,
                maxCachedDenials,
                invalidations,
                requestIdHorizon,
                hotKeys,
                hotKeysInterval);
    }

    /** Returns a copy that counts hot keys or does not. */
    public RedisEngineSettings withHotKeys(boolean counted) {
        return new RedisEngineSettings(
                connection,
                fallback,
                expectedInstances,
                batching,
                maxCachedDenials,
                invalidations,
                requestIdHorizon,
                counted,
                hotKeysInterval);
    }

    /** Returns a new builder of an engine of limits with these settings. Add listeners to it if necessary. */
    public RedisLimitEngine.Builder limits() {
        RedisLimitEngine.Builder builder = limitsBuilder(
                connection,
                fallback,
                expectedInstances,
                batching,
                maxCachedDenials,
                invalidations,
                requestIdHorizon,
                hotKeysInterval);
        return hotKeys ? builder.hotKeys(HotKeys.create()) : builder;
    }

    private static RedisLimitEngine.Builder limitsBuilder(
            RedisSettings connection,
            Fallback fallback,
            int expectedInstances,
            boolean batching,
            int maxCachedDenials,
            boolean invalidations,
            Duration requestIdHorizon,
            Duration hotKeysInterval) {
        return RedisLimitEngine.builder(connection)
                .fallback(fallback)
                .expectedInstances(expectedInstances)
                .batching(batching)
                .maxCachedDenials(maxCachedDenials)
                .invalidations(invalidations)
                .requestIdHorizon(requestIdHorizon)
                .hotKeysInterval(hotKeysInterval);
    }

    /**
     * Returns a new builder of an engine of queues with these settings. If the settings do not state whether a connection is required,
     * the engine requires one only if the fallback is {@link Fallback.Mode#NONE}, as the engine of limits does.
     */
    public RedisQueueEngine.Builder queues() {
        return RedisQueueEngine.builder(
                connection.requiredConnection().isPresent()
                        ? connection
                        : connection.withRequiredConnection(fallback.mode() == Fallback.Mode.NONE));
    }
}
