package io.headgate.examples;

import io.headgate.limits.AsyncLimiter;
import io.headgate.limits.Limit;
import io.headgate.limits.LimitEngine;
import io.headgate.redis.limits.RedisLimitEngine;
import java.time.Duration;
import java.util.concurrent.CompletionStage;

/** A limiter that is used asynchronously, without a waiting thread. */
public final class WithoutWaiting {

    private WithoutWaiting() {}

    /** Makes one request, and prints its result. */
    public static void main(String[] args) {
        String redis = args.length > 0 ? args[0] : "redis://localhost:6379";
        try (LimitEngine limits = RedisLimitEngine.connect(redis)) {
            AsyncLimiter searches = limits.limiter("searches", Limit.fixedWindow(100, Duration.ofMinutes(1)))
                    .async();
            CompletionStage<String> answer = searches.tryAcquire("alice")
                    .thenApply(decision -> decision.allowed() ? "search" : "too many searches");
            System.out.println(answer.toCompletableFuture().join());
        }
    }
}
