package io.headgate.server.serve;

import io.headgate.limits.Fallback;
import io.headgate.limits.Health;
import io.headgate.limits.InMemoryLimitEngine;
import io.headgate.limits.LimitEngine;
import io.headgate.limits.LimiterException;
import io.headgate.limits.hotkeys.HotKeys;
import io.headgate.queues.QueueEngine;
import io.headgate.queues.QueueException;
import io.headgate.queues.QueueHealth;
import io.headgate.redis.RedisSettings;
import io.headgate.redis.limits.RedisLimitEngine;
import io.headgate.redis.queues.RedisQueueEngine;
import io.headgate.server.redis.Examined;
import io.headgate.server.redis.RedisTls;
import io.headgate.server.text.Words;
import io.headgate.server.top.TopSource;
import java.time.Duration;
import java.time.Instant;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.Supplier;
import java.util.stream.Collectors;

/**
 * Where this server counts: the one place that knows which engines there are.
 *
 * @param limits the engine
 * @param queues those of the same Redis; none where it counts in memory
 * @param top which keys are hot
 * @param description where it counts, without any password
 * @param pinger asks whether it can be asked
 * @param health how the engine finds it
 * @param problem what is wrong with a key in Redis that another program has written, and what to do
 * @param fallback what is answered while it can't be asked, of policies that don't say it themselves
 */
public record Engine(
        LimitEngine limits,
        Optional<QueueEngine> queues,
        TopSource top,
        String description,
        Supplier<CompletionStage<Void>> pinger,
        Supplier<Health> health,
        Supplier<Optional<String>> problem,
        Fallback fallback)
        implements AutoCloseable {

    /** An engine in memory that keeps as many keys as suit the heap. */
    public static Engine inMemory(Counts counts) {
        return inMemory(counts, Optional.empty());
    }

    /**
     * An engine in memory.
     *
     * @param counts hears every decision
     * @param maxKeys how many keys it counts at most; without it as many as suit the heap
     */
    static Engine inMemory(Counts counts, Optional<Integer> maxKeys) {
        HotKeys hotKeys = HotKeys.create();
        InMemoryLimitEngine.Builder limits =
                InMemoryLimitEngine.builder().listener(counts).listener(hotKeys);
        maxKeys.ifPresent(limits::maxKeys);
        return inMemory(limits.build(), TopSource.of(hotKeys, Instant::now));
    }

    public static Engine inMemory(InMemoryLimitEngine limits, TopSource top) {
        return new Engine(
                limits,
                Optional.empty(),
                top,
                "memory of this process, not shared",
                () -> CompletableFuture.completedFuture(null),
                () -> Health.HEALTHY,
                Optional::empty,
                Fallback.none());
    }

    /** The same of one that may be the only one. */
    public static Engine redis(String url, String keyPrefix, Duration timeout, Fallback fallback, Counts counts) {
        return redis(url, keyPrefix, timeout, fallback, 1, new RedisTls(), counts);
    }

    /**
     * Connects; where something falls back, also in the background, to a Redis that can't be reached at first.
     *
     * @param fallback what is answered while it does not answer, of policies that don't say it themselves
     * @param instances how many share its limits, as long as Redis has not said it
     * @param tls its certificates
     * @param counts is told of every decision
     * @throws IllegalArgumentException when the URL, the prefix or the time-out is not one
     * @throws LimiterException or {@link QueueException} when Redis can't be reached and nothing falls back, or it
     *     refuses
     */
    public static Engine redis(
            String url,
            String keyPrefix,
            Duration timeout,
            Fallback fallback,
            int instances,
            RedisTls tls,
            Counts counts) {
        RedisSettings settings = tls.with(settings(url).withKeyPrefix(keyPrefix).withTimeout(timeout));
        RedisLimitEngine limits = RedisLimitEngine.builder(settings)
                .fallback(fallback)
                .expectedInstances(instances)
                .listener(counts)
                .hotKeys(HotKeys.create())
                .build();
        try {
            QueueEngine queues =
                    RedisQueueEngine.connect(settings.withRequiredConnection(fallback.mode() == Fallback.Mode.NONE));
            return new Engine(
                    limits,
                    Optional.of(queues),
                    TopSource.of(limits.hotKeys()),
                    "Redis at " + limits.description(),
                    limits::ping,
                    limits::health,
                    limits::foreignKey,
                    fallback);
        } catch (RuntimeException e) {
            limits.close();
            throw e;
        }
    }

    private static RedisSettings settings(String url) {
        try {
            return RedisSettings.of(url);
        } catch (IllegalArgumentException e) {
            // What was given may hold a password, and is not repeated.
            throw new IllegalArgumentException(Examined.WANTED, e);
        }
    }

    /** Whether decisions of a policy with such a fallback, or none of its own, are answered also while it can't be asked. */
    public boolean answersAlways(Optional<Fallback> ofPolicy) {
        return ofPolicy.orElse(fallback).mode() != Fallback.Mode.NONE;
    }

    /** The health of each engine in one word, by {@code limits} and, with Redis, {@code queues}. */
    Map<String, String> healthByName() {
        Map<String, String> byName = new LinkedHashMap<>();
        byName.put("limits", Words.lower(health.get()));
        queues.ifPresent(engine -> byName.put("queues", Words.lower(engine.health())));
        return byName;
    }

    /** The same in one line, such as {@code limits: healthy, queues: unavailable}. */
    String healthText() {
        return healthByName().entrySet().stream()
                .map(one -> one.getKey() + ": " + one.getValue())
                .collect(Collectors.joining(", "));
    }

    /** Whether the queues can be called now; also true where there are none. */
    boolean reachesQueues() {
        return queues.map(QueueEngine::health).orElse(QueueHealth.HEALTHY) == QueueHealth.HEALTHY;
    }

    /** Completes when it can be asked; fails when it can't. */
    public CompletionStage<Void> ping() {
        try {
            return pinger.get();
        } catch (RuntimeException e) {
            return CompletableFuture.failedFuture(e);
        }
    }

    @Override
    public void close() {
        queues.ifPresent(QueueEngine::close);
        limits.close();
    }
}
