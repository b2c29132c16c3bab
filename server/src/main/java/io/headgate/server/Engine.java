package io.headgate.server;

import io.headgate.limits.DecisionListener;
import io.headgate.limits.InMemoryLimits;
import io.headgate.limits.Limits;
import io.headgate.redis.RedisLimits;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.Supplier;

/**
 * Where this server counts: the one place that knows which engines there are.
 *
 * @param limits the engine
 * @param description where it counts, without any password
 * @param pinger asks whether it can be asked
 */
record Engine(Limits limits, String description, Supplier<CompletionStage<Void>> pinger) implements AutoCloseable {

    static Engine inMemory(DecisionListener listener) {
        return inMemory(InMemoryLimits.builder().listener(listener).build());
    }

    static Engine inMemory(InMemoryLimits limits) {
        return new Engine(
                limits,
                "the memory of this process, shared with no other",
                () -> CompletableFuture.completedFuture(null));
    }

    static Engine redis(String url, String keyPrefix, Duration timeout, DecisionListener listener) {
        RedisLimits limits = RedisLimits.builder()
                .url(url)
                .keyPrefix(keyPrefix)
                .timeout(timeout)
                .listener(listener)
                .build();
        return new Engine(limits, "Redis at " + limits.description(), limits::ping);
    }

    CompletionStage<Void> ping() {
        return pinger.get();
    }

    @Override
    public void close() {
        limits.close();
    }
}
