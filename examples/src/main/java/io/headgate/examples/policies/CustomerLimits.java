package io.headgate.examples.policies;

import io.headgate.limits.Attributes;
import io.headgate.limits.Decision;
import io.headgate.limits.Limit;
import io.headgate.limits.LimitEngine;
import io.headgate.limits.Limiter;
import io.headgate.limits.PermitRequest;
import io.headgate.limits.Policy;
import io.headgate.limits.Rule.LimitOverride;
import io.headgate.redis.limits.RedisLimitEngine;
import java.time.Duration;
import java.util.List;
import java.util.Map;

/** One customer, and all customers of a plan, have limits of their own, which change while the program runs. */
public final class CustomerLimits {

    private CustomerLimits() {}

    /** Requests a permit each for a customer, for a customer of a plan and for another one, and changes the overrides. */
    public static void main(String[] args) {
        String redis = args.length > 0 ? args[0] : "redis://localhost:6379";
        Duration minute = Duration.ofMinutes(1);
        Policy api = Policy.named("api")
                .rule("per-user", Limit.slidingWindow(100, minute), Attributes.USER)
                .override("per-user", Attributes.of("user", "alice"), Limit.slidingWindow(500, minute))
                .override("per-user", Attributes.of("plan", "gold"), Limit.slidingWindow(1000, minute))
                .build();
        Attributes bobOnGold = Attributes.of("user", "bob").with("plan", "gold");

        try (LimitEngine limits = RedisLimitEngine.connect(redis)) {
            Limiter limiter = limits.limiter(api);
            show(limiter.tryAcquire("alice")); // 500 per minute
            show(limiter.tryAcquire(PermitRequest.of(bobOnGold))); // 1000 per minute
            show(limiter.tryAcquire("carol")); // 100 per minute

            limiter.update(api.withOverrides(
                    List.of(new LimitOverride("per-user", Map.of("user", "carol"), Limit.slidingWindow(200, minute)))));
            show(limiter.tryAcquire("carol")); // 200 per minute, of which one was used before
        }
    }

    private static void show(Decision decision) {
        System.out.println(decision.remaining() + " of " + decision.limit() + " left");
    }
}
