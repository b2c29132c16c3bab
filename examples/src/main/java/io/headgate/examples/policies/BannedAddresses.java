package io.headgate.examples.policies;

import io.headgate.limits.Attributes;
import io.headgate.limits.Decision;
import io.headgate.limits.Limit;
import io.headgate.limits.LimitEngine;
import io.headgate.limits.Limiter;
import io.headgate.limits.Policy;
import io.headgate.limits.Rule;
import io.headgate.limits.bans.BanRule;
import io.headgate.redis.limits.RedisLimitEngine;
import java.time.Duration;

/** A rule bans addresses that it keeps denying, longer each time. */
public final class BannedAddresses {

    private BannedAddresses() {}

    /** Sends requests from one address until it is banned, and lifts the ban. */
    public static void main(String[] args) {
        String redis = args.length > 0 ? args[0] : "redis://localhost:6379";

        Policy login = Policy.named("login")
                .rule(Rule.of("per-ip", Limit.slidingWindow(20, Duration.ofMinutes(10)), Attributes.IP)
                        .banning(BanRule.after(100, Duration.ofMinutes(10))
                                .lasting(Duration.ofHours(1))
                                .doublingUpTo(Duration.ofHours(24))))
                .build();
        try (LimitEngine limits = RedisLimitEngine.connect(redis)) {
            Limiter logins = limits.limiter(login);
            int requests = 0;
            Decision decision;
            do {
                decision = logins.tryAcquire("203.0.113.7");
                requests++;
            } while (decision.basis() != Decision.Basis.BANNED);
            System.out.println("banned by " + decision.deniedBy().orElseThrow() + " at request " + requests);

            logins.reset("203.0.113.7");
            System.out.println("allowed: " + logins.tryAcquire("203.0.113.7").allowed());
        }
    }
}
