package io.headgate.examples;

import io.headgate.limits.LimitEngine;
import io.headgate.redis.limits.RedisLimitEngine;
import java.time.Duration;

/** The shortest use of a limit: one call returns whether a user may do something once more. */
public final class OneLine {

    private OneLine() {}

    /** Requests to send six SMS under a limit of five a day. */
    public static void main(String[] args) {
        String redis = args.length > 0 ? args[0] : "redis://localhost:6379";
        try (LimitEngine limits = RedisLimitEngine.connect(redis)) {
            for (int sms = 1; sms <= 6; sms++) {
                boolean allowed = limits.allow("alice", "send-sms", 5, Duration.ofDays(1));
                System.out.println("SMS " + sms + ": " + (allowed ? "sent" : "not sent"));
            }
        }
    }
}
