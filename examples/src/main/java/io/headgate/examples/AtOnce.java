package io.headgate.examples;

import io.headgate.limits.Attributes;
import io.headgate.limits.Fallback;
import io.headgate.limits.Hold;
import io.headgate.limits.InFlightLimiter;
import io.headgate.limits.InFlightPolicy;
import io.headgate.limits.InFlightRule;
import io.headgate.limits.LimitEngine;
import io.headgate.redis.limits.RedisLimitEngine;
import java.time.Duration;

/** Exports that take long: so many at once of one user, and so many of all. */
final class AtOnce {

    private AtOnce() {}

    public static void main(String[] args) throws InterruptedException {
        String redis = args.length > 0 ? args[0] : "redis://localhost:6379";
        try (LimitEngine limits = RedisLimitEngine.connect(redis)) {
            InFlightLimiter downloads = limits.inFlight("downloads", 3); // at most 3 at once for each id
            try (Hold hold = downloads.tryAcquire("user-7")) {
                System.out.println(hold.allowed() ? "downloading" : "busy");
            }

            InFlightPolicy policy = InFlightPolicy.named("exports")
                    .rule("global", 100)
                    .rule("per-user", 2, Attributes.USER)
                    .lease(Duration.ofSeconds(10))
                    .atMost(Duration.ofHours(1))
                    .build();
            InFlightLimiter exports = limits.inFlight(policy);

            Hold first = exports.tryAcquire("alice");
            Hold second = exports.tryAcquire("alice");
            System.out.println(exports.peek("alice").rule("per-user").held() + " held");
            System.out.println(export(exports, "alice"));

            second.onLost(() -> System.out.println("stop the work: the place may be somebody else's"));
            first.close();
            try (Hold hold = exports.acquire("alice", Duration.ofSeconds(5))) { // waits until there is a place
                System.out.println(hold.allowed() ? "a place, in the end" : "still busy");
            }
            System.out.println(second.release() ? "held until now" : "lost");

            InFlightPolicy imports = InFlightPolicy.named("imports")
                    .rule("global", 20)
                    .fallback(Fallback.closed())
                    .build();
            InFlightLimiter careful = limits.inFlight(imports);
            System.out.println("without Redis: "
                    + careful.policy().fallback().map(Fallback::mode).orElseThrow());
        }
    }

    private static String export(InFlightLimiter exports, String user) {
        try (Hold hold = exports.tryAcquire(user)) {
            if (hold.denied()) {
                return "busy: " + hold.deniedBy().map(InFlightRule::name).orElseThrow();
            }
            return "exported";
        }
    }
}
