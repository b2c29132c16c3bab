package io.headgate.examples;

import io.headgate.limits.Attributes;
import io.headgate.limits.Decision;
import io.headgate.limits.Limit;
import io.headgate.limits.LimitEngine;
import io.headgate.limits.Limiter;
import io.headgate.limits.PermitRequest;
import io.headgate.limits.Policy;
import io.headgate.redis.limits.RedisLimitEngine;
import java.time.Duration;

/** A request is charged to all rules of its policy, or to none. */
public final class SeveralRules {

    private SeveralRules() {}

    /** Acquires 2 permits, tries 9 more, resets one rule, and tries again. */
    public static void main(String[] args) {
        String redis = args.length > 0 ? args[0] : "redis://localhost:6379";
        Policy api = Policy.named("api")
                .rule("global", Limit.tokenBucket(2000, 1000, Duration.ofSeconds(1)))
                .rule("per-user", Limit.slidingWindow(10, Duration.ofMinutes(1)), Attributes.USER)
                .rule("per-ip", Limit.fixedWindow(500, Duration.ofHours(1)), Attributes.IP)
                .build();
        Attributes caller = Attributes.of(Attributes.USER, "alice").with(Attributes.IP, "192.0.2.7");
        PermitRequest request = PermitRequest.of(caller);

        try (LimitEngine limits = RedisLimitEngine.connect(redis)) {
            Limiter limiter = limits.limiter(api);
            show(limiter.tryAcquire(request.withPermits(2)));
            show(limiter.tryAcquire(request.withPermits(9))); // 8 are left
            limiter.resetRule("per-user", caller);
            show(limiter.tryAcquire(request.withPermits(9)));
        }
    }

    private static void show(Decision decision) {
        String outcome = decision.deniedBy().map(rule -> "denied by " + rule).orElse("allowed");
        System.out.println(outcome + ", " + decision.remaining() + " of " + decision.limit() + " left");
    }
}
