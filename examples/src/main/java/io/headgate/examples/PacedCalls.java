package io.headgate.examples;

import io.headgate.limits.Decision;
import io.headgate.limits.Limit;
import io.headgate.limits.LimitEngine;
import io.headgate.limits.Limiter;
import io.headgate.redis.limits.RedisLimitEngine;
import java.time.Duration;

/** Calls a provider at the pace of its quota, from any number of processes. */
public final class PacedCalls {

    private PacedCalls() {}

    /** Makes three calls, 40 ms apart. */
    public static void main(String[] args) throws InterruptedException {
        String redis = args.length > 0 ? args[0] : "redis://localhost:6379";

        try (LimitEngine limits = RedisLimitEngine.connect(redis)) {
            // 25 calls a second, evenly spaced; the bucket has room for 100
            Limiter provider = limits.limiter(
                    "provider",
                    Limit.leakyBucket(100, 25, Duration.ofSeconds(1)).shaper());
            for (int call = 1; call <= 3; call++) {
                Decision decision = provider.acquire("sms", Duration.ofSeconds(5)); // waits up to 5 seconds
                System.out.println(decision.allowed() ? "call " + call : "not within 5 seconds");
            }
        }
    }
}
