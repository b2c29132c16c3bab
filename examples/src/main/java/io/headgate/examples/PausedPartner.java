package io.headgate.examples;

import io.headgate.limits.Attributes;
import io.headgate.limits.Decision;
import io.headgate.limits.Limit;
import io.headgate.limits.LimitEngine;
import io.headgate.limits.Limiter;
import io.headgate.limits.Policy;
import io.headgate.redis.limits.RedisLimitEngine;
import java.time.Duration;

/** Calls a partner, who replies that its calls must pause. */
public final class PausedPartner {

    private static final Duration RETRY_AFTER = Duration.ofSeconds(1);

    private PausedPartner() {}

    /** Calls the partner until it is too busy, and then once more, after the pause. */
    public static void main(String[] args) throws InterruptedException {
        String redis = args.length > 0 ? args[0] : "redis://localhost:6379";
        try (LimitEngine limits = RedisLimitEngine.connect(redis)) {
            Limiter partners = limits.limiter(Policy.named("partners")
                    .rule("calls", Limit.tokenBucket(10, 10, Duration.ofSeconds(1)), "partner")
                    .pausable()
                    .build());
            for (int call = 1; call <= 3; call++) {
                Decision decision = partners.acquire("acme", Duration.ofSeconds(5)); // waits for the end of a pause
                if (decision.allowed() && status(call) == 429) {
                    partners.pause("acme", RETRY_AFTER); // in all instances
                    System.out.println(partners.tryAcquire("acme").basis());
                }
            }
            System.out.println(partners.resume(Attributes.of("partner", "acme")));
        }
    }

    /** The status of the partner's reply. */
    private static int status(int call) {
        return call == 2 ? 429 : 200;
    }
}
