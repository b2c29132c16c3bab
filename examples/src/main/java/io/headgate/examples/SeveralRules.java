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

/** One policy of three rules: a request passes all of them, or is charged to none. */
public final class SeveralRules {

    private SeveralRules() {}

    /** Requests 2 permits, then 9 more, peeks, and resets. */
    public static void main(String[] args) {
        String redis = args.length > 0 ? args[0] : "redis://localhost:6379";
        Policy api = Policy.named("api")
                .rule("global", Limit.tokenBucket(2000, 1000, Duration.ofSeconds(1)))
                .rule("per-user", Limit.slidingWindow(10, Duration.ofMinutes(1)), Attributes.USER)
                .rule("per-ip", Limit.fixedWindow(500, Duration.ofHours(1)), Attributes.IP)
                .build();
        Attributes alice = Attributes.of(Attributes.USER, "alice").with(Attributes.IP, "192.0.2.7");
        PermitRequest request = PermitRequest.of(alice);

        try (LimitEngine limits = RedisLimitEngine.connect(redis)) {
            Limiter limiter = limits.limiter(api);
            show(limiter.tryAcquire(request.withPermits(2)));
            show(limiter.tryAcquire(request.withPermits(9))); // 8 are left: denied, and charged to no rule
            show(limiter.peek(request)); // charges nothing
            limiter.resetRule("per-user", alice); // resets the count of this rule for alice
            show(limiter.tryAcquire(request.withPermits(9)));
        }
    }

    private static void show(Decision decision) {
        String answer = decision.deniedBy().map(rule -> "denied by " + rule).orElse("allowed");
        System.out.println(answer + ", " + decision.remaining() + " of " + decision.limit() + " left");
    }
}
