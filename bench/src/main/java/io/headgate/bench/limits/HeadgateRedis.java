package io.headgate.bench.limits;

import io.headgate.bench.peers.Subject.Gate;
import io.headgate.bench.run.RedisAccess;
import io.headgate.limits.AsyncInFlightLimiter;
import io.headgate.limits.AsyncLimiter;
import io.headgate.limits.Decision;
import io.headgate.limits.Fallback;
import io.headgate.limits.InFlightPolicy;
import io.headgate.limits.LimitEngine;
import io.headgate.limits.Policy;
import io.headgate.redis.RedisSettings;
import io.headgate.redis.limits.RedisLimitEngine;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.Function;

/** A Headgate engine on Redis, with timeouts for a busy machine. */
final class HeadgateRedis {

    private static final Duration TIMEOUT = Duration.ofSeconds(10);

    private static final CompletionStage<Boolean> ALLOWED = CompletableFuture.completedFuture(true);
    private static final CompletionStage<Boolean> DENIED = CompletableFuture.completedFuture(false);

    private final LimitEngine limits;

    private HeadgateRedis(RedisLimitEngine.Builder builder, Fallback fallback) {
        this.limits = builder.fallback(fallback).build();
    }

    /** A builder with the client of the peers, and a timeout that a busy machine does not reach. */
    static RedisLimitEngine.Builder builder(RedisAccess redis) {
        return RedisLimitEngine.builder(RedisSettings.of(redis.client()).withTimeout(TIMEOUT));
    }

    /** A builder with a client of its own, and that timeout. */
    static RedisLimitEngine.Builder builder(String url) {
        return RedisLimitEngine.builder(RedisSettings.of(url).withTimeout(TIMEOUT));
    }

    /** The engine of a builder, with a fallback that a busy machine does not reach. */
    static HeadgateRedis of(RedisLimitEngine.Builder builder) {
        return new HeadgateRedis(builder, Fallback.local().within(TIMEOUT));
    }

    /** An engine over the client of the peers, which makes one call per decision. */
    static HeadgateRedis over(RedisAccess redis) {
        return of(builder(redis).batching(false).maxCachedDenials(0));
    }

    /** An engine with default settings over the client of the peers: it combines requests and caches denials. */
    static HeadgateRedis coalescingOver(RedisAccess redis) {
        return of(builder(redis));
    }

    /** Like {@link #coalescingOver}, without a fallback. It needs no calls to count instances, so all its calls are decisions. */
    static HeadgateRedis withoutFallbackOver(RedisAccess redis) {
        return new HeadgateRedis(builder(redis), Fallback.none());
    }

    AsyncLimiter limiter(Policy policy) {
        return limits.limiter(policy).async();
    }

    AsyncInFlightLimiter inFlight(InFlightPolicy policy) {
        return limits.inFlight(policy).async();
    }

    /** A gate that requests permits by this function, and closes the engine. */
    Gate gate(Function<String, CompletionStage<Boolean>> acquire) {
        return new Gate() {
            @Override
            public CompletionStage<Boolean> tryAcquire(String key) {
                return acquire.apply(key);
            }

            @Override
            public void close() {
                limits.close();
            }
        };
    }

    /** Whether the decision allows. For an immediate decision, a further stage would take a tenth of the time. */
    static CompletionStage<Boolean> allowed(CompletionStage<Decision> stage) {
        CompletableFuture<Decision> decision = stage.toCompletableFuture();
        return decision.isDone() && !decision.isCompletedExceptionally()
                ? decision.join().allowed() ? ALLOWED : DENIED
                : decision.thenApply(Decision::allowed);
    }
}
