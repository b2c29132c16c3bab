package io.headgate.config.sources;

import static org.assertj.core.api.Assertions.assertThat;

import io.headgate.limits.Decision;
import io.headgate.limits.Fallback;
import io.headgate.limits.InMemoryLimitEngine;
import io.headgate.limits.LimitEngine;
import io.headgate.limits.Limiter;
import io.headgate.redis.RedisSettings;
import io.headgate.redis.limits.RedisLimitEngine;
import io.headgate.testkit.Await;
import io.headgate.testkit.RedisServer;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.attribute.FileTime;
import java.time.Duration;
import java.time.Instant;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Writes 1,000 versions in a row while two threads request permits of one key. Every second version raises the highest limit so far by
 * one, so that exactly one more request is admitted. Each version between sets the limit to 1, so that none is.
 */
class ThousandChangesIT {

    private static final int VERSIONS = 1000;

    /** As the timeout of Redis, so that Redis decides all requests, however slow this machine is. */
    private static final Duration LONG = Duration.ofSeconds(60);

    private final AtomicLong admitted = new AtomicLong();

    /** The largest limit so far. */
    private final AtomicLong most = new AtomicLong();

    private final AtomicLong exceeded = new AtomicLong();
    private final AtomicBoolean stopped = new AtomicBoolean();

    @TempDir
    @SuppressWarnings("NullAway.Init") // set by JUnit
    private Path folder;

    @Test
    void in_memory_each_version_admits_exactly_its_limit() throws Exception {
        try (LimitEngine engine = InMemoryLimitEngine.create()) {
            change(engine);
        }
    }

    @Test
    void on_redis_each_version_admits_exactly_its_limit() throws Exception {
        try (RedisServer redis = RedisServer.start();
                LimitEngine engine = RedisLimitEngine.builder(
                                RedisSettings.of(redis.url()).withTimeout(LONG))
                        .fallback(Fallback.none())
                        .build()) {
            change(engine);
        }
    }

    private void change(LimitEngine engine) throws Exception {
        Path file = write(0);
        try (PolicyReloader policies = PolicyReloader.start(engine, FilePolicySource.of(file))) {
            Limiter limiter = policies.registry().limiter("api");
            CompletableFuture<?> traffic = CompletableFuture.allOf(
                    CompletableFuture.runAsync(() -> request(limiter)),
                    CompletableFuture.runAsync(() -> request(limiter)));
            for (int version = 1; version <= VERSIONS; version++) {
                boolean raised = version % 2 == 1;
                long limit = raised ? (version + 1) / 2 : 1;
                most.accumulateAndGet(limit, Math::max);
                write(limit);
                // Also the thread of the source reloads, at the same time.
                assertThat(policies.reload().rejected()).isEmpty();
                if (raised) {
                    Await.until(
                            "as many admitted requests as the limit " + limit,
                            LONG,
                            () -> admitted.get() == limit || traffic.isDone());
                }
            }
            stopped.set(true);
            traffic.join();
        }
        assertThat(admitted).hasValue(VERSIONS / 2);
        assertThat(exceeded).hasValue(0);
    }

    private void request(Limiter limiter) {
        while (!stopped.get()) {
            Decision decision = limiter.tryAcquire("alice");
            if (decision.allowed() && admitted.incrementAndGet() > most.get()) {
                exceeded.incrementAndGet();
            }
        }
    }

    private Path write(long permits) throws IOException {
        Path next = Files.writeString(
                folder.resolve("next"),
                "policies: { api: { rules: { limit: { by: user, sliding-window: { permits: " + permits
                        + ", window: 1h } } } } }");
        // The source does not read a file that was modified in the last 100 ms. With an earlier time, it need not wait.
        Files.setLastModifiedTime(next, FileTime.from(Instant.now().minusSeconds(1)));
        return Files.move(next, folder.resolve("policies.yaml"), StandardCopyOption.ATOMIC_MOVE);
    }
}
