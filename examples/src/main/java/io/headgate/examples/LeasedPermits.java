package io.headgate.examples;

import io.headgate.limits.Decision;
import io.headgate.limits.Limit;
import io.headgate.limits.LimitEngine;
import io.headgate.limits.Limiter;
import io.headgate.limits.Policy;
import io.headgate.redis.limits.RedisLimitEngine;
import java.time.Duration;

/** Leased permits: an instance decides most requests without a call to Redis. */
public final class LeasedPermits {

    private LeasedPermits() {}

    /** Makes ten thousand requests for one id. */
    public static void main(String[] args) {
        String redis = args.length > 0 ? args[0] : "redis://localhost:6379";
        Policy search = Policy.named("search")
                .rule("per-customer", Limit.slidingWindow(100_000, Duration.ofMinutes(1)), "customer")
                .leased() // for a fiftieth of the window: 1.2 seconds
                .build();
        try (LimitEngine limits = RedisLimitEngine.connect(redis)) {
            Limiter limiter = limits.limiter(search);
            int leased = 0;
            for (int i = 0; i < 10_000; i++) {
                Decision decision = limiter.tryAcquire("acme");
                if (decision.basis() == Decision.Basis.LEASED) {
                    leased++;
                }
            }
            System.out.println("more than half without a call: " + (leased > 5_000));
        }
    }
}
