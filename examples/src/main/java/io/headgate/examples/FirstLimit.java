package io.headgate.examples;

import io.headgate.limits.Decision;
import io.headgate.limits.Limit;
import io.headgate.limits.LimitEngine;
import io.headgate.limits.Limiter;
import io.headgate.redis.limits.RedisLimitEngine;
import java.time.Duration;

/** The first limit: five logins a minute. */
public final class FirstLimit {

    private FirstLimit() {}

    /** Makes six requests. */
    public static void main(String[] args) {
        String redis = args.length > 0 ? args[0] : "redis://localhost:6379";
        try (LimitEngine limits = RedisLimitEngine.connect(redis)) {
            Limiter logins = limits.limiter("logins", Limit.slidingWindow(5, Duration.ofMinutes(1)));
            for (int attempt = 1; attempt <= 6; attempt++) {
                Decision decision = logins.tryAcquire("alice");
                System.out.println(
                        decision.allowed()
                                ? "allowed, " + decision.remaining() + " left"
                                : "denied, retry after " + decision.retryAfter().orElseThrow());
            }
        }
    }
}
