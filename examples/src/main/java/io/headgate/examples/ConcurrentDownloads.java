package io.headgate.examples;

import io.headgate.limits.Hold;
import io.headgate.limits.InFlightLimiter;
import io.headgate.limits.LimitEngine;
import io.headgate.redis.limits.RedisLimitEngine;

/** At most three downloads of a user at the same time. */
public final class ConcurrentDownloads {

    private ConcurrentDownloads() {}

    /** Takes a hold, works, and releases it. */
    public static void main(String[] args) {
        String redis = args.length > 0 ? args[0] : "redis://localhost:6379";
        try (LimitEngine limits = RedisLimitEngine.connect(redis)) {
            InFlightLimiter downloads = limits.inFlight("downloads", 3); // at most 3 at a time for each id
            try (Hold hold = downloads.tryAcquire("user-7")) {
                System.out.println(hold.allowed() ? "downloading" : "busy");
            }
        }
    }
}
