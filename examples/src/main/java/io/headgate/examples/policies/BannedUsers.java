package io.headgate.examples.policies;

import io.headgate.limits.Decision;
import io.headgate.limits.Limit;
import io.headgate.limits.LimitEngine;
import io.headgate.limits.Limiter;
import io.headgate.limits.Policy;
import io.headgate.limits.bans.BanRequest;
import io.headgate.limits.bans.BanTarget;
import io.headgate.limits.bans.Bans;
import io.headgate.redis.limits.RedisLimitEngine;
import java.time.Duration;

/** A user is banned for an hour, in all processes, until the ban is lifted. */
public final class BannedUsers {

    private BannedUsers() {}

    /** Denies the request of a banned user, and allows it when the ban is lifted. */
    public static void main(String[] args) {
        String redis = args.length > 0 ? args[0] : "redis://localhost:6379";

        try (LimitEngine limits = RedisLimitEngine.connect(redis)) {
            Limiter payments =
                    limits.limiter(Policy.of("payments", Limit.slidingWindow(100, Duration.ofMinutes(1)), "user"));

            Bans bans = limits.bans();
            bans.add(BanRequest.ban(BanTarget.user("mallory"))
                    .lasting(Duration.ofHours(1))
                    .because("card testing")
                    .by("ada"));

            Decision decision = payments.tryAcquire("mallory");
            System.out.println("allowed: " + decision.allowed());
            decision.ban().ifPresent(ban -> System.out.println("banned by " + ban.by() + ": " + ban.reason()));

            bans.lift(BanTarget.user("mallory"));
            System.out.println("allowed: " + payments.tryAcquire("mallory").allowed());
        }
    }
}
