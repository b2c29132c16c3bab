package io.headgate.server.serve;

import io.headgate.config.settings.RedisEngineSettings;
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
import io.headgate.redis.audit.RedisAuditLog;
import io.headgate.redis.limits.RedisLimitEngine;
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
 * The engines of a server and their store. Only this type knows which kinds of engines exist.
 *
 * @param limits the engine of limits
 * @param queues the engine of queues in the same Redis; empty in memory
 * @param top the source of hot keys
 * @param audit the audit log in the same Redis; empty in memory
 * @param description the store, without any password
 * @param pinger checks that the store replies
 * @param health the health of the engine of limits
 * @param problem a key in Redis that another program has written, and the remedy; empty if none was found
 * @param fallback the fallback of policies without one of their own
 */
public record Engine(
        LimitEngine limits,
        Optional<QueueEngine> queues,
        TopSource top,
        Optional<RedisAuditLog> audit,
        String description,
        Supplier<CompletionStage<Void>> pinger,
        Supplier<Health> health,
        Supplier<Optional<String>> problem,
        Fallback fallback)
        implements AutoCloseable {

    /** An engine in memory. The maximum number of keys depends on the heap. */
    public static Engine inMemory(Counts counts) {
        return inMemory(counts, Optional.empty());
    }

    /**
     * An engine in memory.
     *
     * @param counts the statistics of the server, which count every decision
     * @param maxKeys the maximum number of keys; by default, it depends on the heap
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
                Optional.empty(),
                "memory of this process, not shared",
                () -> CompletableFuture.completedFuture(null),
                () -> Health.HEALTHY,
                Optional::empty,
                Fallback.none());
    }

    /**
     * Connects to Redis with default settings, except for these.
     *
     * @throws IllegalArgumentException if the URL, the prefix or the timeout is invalid
     * @throws LimiterException or {@link QueueException} if Redis rejects the connection, or cannot be reached and there is no fallback
     */
    public static Engine redis(String url, String keyPrefix, Duration timeout, Fallback fallback, Counts counts) {
        RedisSettings connection =
                RedisSettings.of(url).withKeyPrefix(keyPrefix).withTimeout(timeout);
        return redis(RedisEngineSettings.of(connection).withFallback(fallback), counts);
    }

    /**
     * Connects to Redis. With a fallback, it connects in the background while Redis cannot be reached.
     *
     * @param settings the settings; this engine always counts hot keys
     * @param counts the statistics of the server, which count every decision
     * @throws LimiterException or {@link QueueException} if Redis rejects the connection, or cannot be reached and there is no fallback
     */
    static Engine redis(RedisEngineSettings settings, Counts counts) {
        RedisLimitEngine limits = settings.withHotKeys(true)
                .limits()
                .listener(counts)
                .auditBans(false)
                .build();
        Optional<QueueEngine> queues = Optional.empty();
        try {
            queues = Optional.of(settings.queues().build());
            return new Engine(
                    limits,
                    queues,
                    TopSource.of(limits.hotKeys()),
                    Optional.of(RedisAuditLog.connect(settings.connection())),
                    "Redis at " + limits.description(),
                    limits::ping,
                    limits::health,
                    limits::foreignKey,
                    settings.fallback());
        } catch (RuntimeException e) {
            queues.ifPresent(QueueEngine::close);
            limits.close();
            throw e;
        }
    }

    /** Returns whether a policy with this fallback is decided even while the store does not reply. */
    public boolean decidesWithoutStore(Optional<Fallback> ofPolicy) {
        return ofPolicy.orElse(fallback).mode() != Fallback.Mode.NONE;
    }

    /** The health of each engine in one word, by {@code limits} and, with Redis, {@code queues}. */
    Map<String, String> healthByName() {
        Map<String, String> byName = new LinkedHashMap<>();
        byName.put("limits", Words.lower(health.get()));
        queues.ifPresent(engine -> byName.put("queues", Words.lower(engine.health())));
        return byName;
    }

    /** The health of each engine in one line, such as {@code limits: healthy, queues: unavailable}. */
    String healthText() {
        return healthByName().entrySet().stream()
                .map(one -> one.getKey() + ": " + one.getValue())
                .collect(Collectors.joining(", "));
    }

    /** Returns whether the queues are healthy; also true if the store has no queues. */
    boolean reachesQueues() {
        return queues.map(QueueEngine::health).orElse(QueueHealth.HEALTHY) == QueueHealth.HEALTHY;
    }

    /** Completes when the store replies; fails if it does not. */
    public CompletionStage<Void> ping() {
        try {
            return pinger.get();
        } catch (RuntimeException e) {
            return CompletableFuture.failedFuture(e);
        }
    }

    @Override
    public void close() {
        audit.ifPresent(RedisAuditLog::close);
        queues.ifPresent(QueueEngine::close);
        limits.close();
    }
}
