package io.headgate.examples.policies;

import io.headgate.limits.Limit;
import io.headgate.limits.LimitEngine;
import io.headgate.limits.Limiter;
import io.headgate.limits.combined.CombinedDecision;
import io.headgate.limits.combined.CombinedRequest;
import io.headgate.redis.limits.RedisLimitEngine;
import java.time.Duration;

/** A request is charged to several policies, or to none. */
public final class SeveralPolicies {

    private SeveralPolicies() {}

    /** Sends three requests of one user and address, and reads the remaining permits of the user. */
    public static void main(String[] args) {
        String redis = args.length > 0 ? args[0] : "redis://localhost:6379";
        try (LimitEngine limits = RedisLimitEngine.connect(redis)) {
            Limiter perUser = limits.limiter("requests-per-user", Limit.slidingWindow(5, Duration.ofMinutes(1)));
            Limiter perAddress = limits.limiter("requests-per-address", Limit.slidingWindow(2, Duration.ofMinutes(1)));
            CombinedRequest request = CombinedRequest.of(perUser, "alice").and(perAddress, "192.0.2.1");
            for (int i = 0; i < 3; i++) {
                CombinedDecision decision = limits.tryAcquire(request);
                String policy = decision.decisive().policyName();
                System.out.println(decision.allowed() ? "allowed" : "denied by " + policy);
            }
            System.out.println(perUser.peek("alice").remaining() + " of 5 left");
        }
    }
}
