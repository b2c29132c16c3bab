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

/** Exports, limited per user and in total. */
public final class ConcurrentExports {

    private ConcurrentExports() {}

    /** Takes two holds, is denied a third, releases one, acquires another, and releases all; then reads the fallback of another policy. */
    public static void main(String[] args) throws InterruptedException {
        String redis = args.length > 0 ? args[0] : "redis://localhost:6379";
        try (LimitEngine limits = RedisLimitEngine.connect(redis)) {
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

            second.onLost(() -> System.out.println("stop the work: the hold is lost"));
            first.close();
            try (Hold hold = exports.acquire("alice", Duration.ofSeconds(5))) { // waits for a release
                System.out.println(hold.allowed() ? "exporting" : "still busy");
            }
            System.out.println(second.release() ? "released" : "lost");

            InFlightPolicy imports = InFlightPolicy.named("imports")
                    .rule("global", 20)
                    .fallback(Fallback.closed())
                    .build();
            Fallback fallback = limits.inFlight(imports).policy().fallback().orElseThrow();
            System.out.println("without Redis: " + fallback.mode());
        }
    }

    private static String export(InFlightLimiter exports, String user) {
        try (Hold hold = exports.tryAcquire(user)) {
            if (hold.denied()) {
                return "denied by " + hold.deniedBy().map(InFlightRule::name).orElseThrow();
            }
            return "exported";
        }
    }
}
