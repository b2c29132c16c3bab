package io.headgate.examples;

import io.headgate.limits.Decision;
import io.headgate.limits.Fallback;
import io.headgate.limits.Limit;
import io.headgate.limits.Policy;
import io.headgate.redis.limits.RedisLimitEngine;
import java.time.Duration;

/** Without Redis, this instance's share of the limit decides. */
public final class WithoutRedis {

    private WithoutRedis() {}

    /** Starts where no Redis listens, as one of two instances. */
    public static void main(String[] args) {
        String redis = args.length > 0 ? args[0] : "redis://localhost:1";
        Policy payments = Policy.named("payments")
                .rule("per-card", Limit.slidingWindow(5, Duration.ofMinutes(1)), "card")
                .fallback(Fallback.local().within(Duration.ofMillis(20)))
                .build();
        try (RedisLimitEngine limits =
                RedisLimitEngine.builder(redis).expectedInstances(2).build()) {
            Decision decision = limits.limiter(payments).tryAcquire("card-4711");
            System.out.println(limits.health() + ", " + decision.basis() + ", " + decision.remaining() + " left");
        }
    }
}
