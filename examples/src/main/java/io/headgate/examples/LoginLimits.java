package io.headgate.examples;

import io.headgate.limits.Attributes;
import io.headgate.limits.Decision;
import io.headgate.limits.Fallback;
import io.headgate.limits.Limit;
import io.headgate.limits.LimitEngine;
import io.headgate.limits.Limiter;
import io.headgate.limits.LimiterException;
import io.headgate.limits.PermitRequest;
import io.headgate.limits.Policy;
import io.headgate.redis.limits.RedisLimitEngine;
import java.time.Duration;

/** Logins under two rules: a request passes both, or is charged to none. */
public final class LoginLimits {

    private LoginLimits() {}

    /** Allows five attempts of one user and denies the sixth. */
    public static void main(String[] args) {
        String redis = args.length > 0 ? args[0] : "redis://localhost:6379";

        Policy policy = Policy.named("logins")
                .rule("per-user", Limit.slidingWindow(5, Duration.ofMinutes(1)), Attributes.USER)
                // room for 50 attempts, refilled with 10 a second
                .rule("per-ip", Limit.tokenBucket(50, 10, Duration.ofSeconds(1)), Attributes.IP)
                .fallback(Fallback.open()) // while Redis does not reply, every login may pass
                .build();
        try (LimitEngine limits = RedisLimitEngine.connect(redis)) {
            Limiter logins = limits.limiter(policy);
            Attributes client = Attributes.of(Attributes.USER, "alice").with(Attributes.IP, "192.0.2.7");
            for (int attempt = 1; attempt <= 6; attempt++) {
                Decision decision = logins.tryAcquire(PermitRequest.of(client));
                System.out.println(
                        decision.deniedBy().map(rule -> "denied by " + rule).orElse("allowed"));
            }
            try {
                logins.resetRule("per-user", client); // after a successful login
            } catch (LimiterException e) {
                System.out.println("not reset: " + e.getMessage()); // only decisions have a fallback
            }
        }
    }
}
