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

/** An engine of ours on Redis, with a patience that suits a machine that is busy. */
final class HeadgateRedis {

    private static final Duration TIMEOUT = Duration.ofSeconds(10);

    private static final CompletionStage<Boolean> ALLOWED = CompletableFuture.completedFuture(true);
    private static final CompletionStage<Boolean> DENIED = CompletableFuture.completedFuture(false);

    private final LimitEngine limits;

    private HeadgateRedis(RedisLimitEngine.Builder builder, Fallback fallback) {
        this.limits = builder.fallback(fallback).build();
    }

    /** A builder for the same client as the peers', with a timeout that a busy machine does not reach. */
    static RedisLimitEngine.Builder builder(RedisAccess redis) {
        return RedisLimitEngine.builder(RedisSettings.of(redis.client()).withTimeout(TIMEOUT));
    }

    /** A builder for a Redis, with the same timeout. */
    static RedisLimitEngine.Builder builder(String url) {
        return RedisLimitEngine.builder(RedisSettings.of(url).withTimeout(TIMEOUT));
    }

    /** The engine of a builder, with a fallback that a busy machine does not reach. */
    static HeadgateRedis of(RedisLimitEngine.Builder builder) {
        return new HeadgateRedis(builder, Fallback.local().within(TIMEOUT));
    }

    /** An engine over the same client as the peers', which makes a call for each decision. */
    static HeadgateRedis over(RedisAccess redis) {
        return of(builder(redis).coalescing(false).maxCachedDenials(0));
    }

    /** An engine as it comes over the same client: it joins requests, and answers denials that are known. */
    static HeadgateRedis coalescingOver(RedisAccess redis) {
        return of(builder(redis));
    }

    /** The same without a fallback, and so without the calls by which instances tell of each other: all calls are those of decisions. */
    static HeadgateRedis onlyAskingOver(RedisAccess redis) {
        return new HeadgateRedis(builder(redis), Fallback.none());
    }

    AsyncLimiter limiter(Policy policy) {
        return limits.limiter(policy).async();
    }

    AsyncInFlightLimiter inFlight(InFlightPolicy policy) {
        return limits.inFlight(policy).async();
    }

    /** A gate that asks in this way, and closes the engine at its end. */
    Gate gate(Function<String, CompletionStage<Boolean>> way) {
        return new Gate() {
            @Override
            public CompletionStage<Boolean> ask(String key) {
                return way.apply(key);
            }

            @Override
            public void close() {
                limits.close();
            }
        };
    }

    /** Whether it may pass. Of a decision that is there at once, another stage would be a tenth. */
    static CompletionStage<Boolean> allowed(CompletionStage<Decision> stage) {
        CompletableFuture<Decision> decision = stage.toCompletableFuture();
        return decision.isDone() && !decision.isCompletedExceptionally()
                ? decision.join().allowed() ? ALLOWED : DENIED
                : decision.thenApply(Decision::allowed);
    }
}
