package io.headgate.examples;

import io.headgate.limits.Attributes;
import io.headgate.limits.CalendarWindow;
import io.headgate.limits.Decision;
import io.headgate.limits.Limit;
import io.headgate.limits.LimitEngine;
import io.headgate.limits.Limiter;
import io.headgate.limits.Policy;
import io.headgate.redis.limits.RedisLimitEngine;
import java.time.Duration;
import java.time.ZoneId;

/** Sends SMS at the provider's pace and no more than a few a day to a user; what was not sent is not counted. */
public final class OutgoingCalls {

    private static final ZoneId BERLIN = ZoneId.of("Europe/Berlin");

    private OutgoingCalls() {}

    /** Sends three, of which the provider loses one; then allows fewer. */
    public static void main(String[] args) throws InterruptedException {
        String redis = args.length > 0 ? args[0] : "redis://localhost:6379";
        try (LimitEngine limits = RedisLimitEngine.connect(redis)) {
            Limiter sms = limits.limiter(policy(3));
            for (int i = 1; i <= 3; i++) {
                Decision decision = sms.acquire("alice", Duration.ofSeconds(5)); // waits for its turn
                if (decision.allowed() && !isSent(i)) {
                    sms.refund("alice", decision); // it came to nothing
                }
            }
            show(sms.peek("alice"));
            sms.update(policy(2)); // from now on; what is counted stays counted
            show(sms.peek("alice"));
        }
    }

    /** Twenty-five a second leave evenly spaced, up to a hundred wait for that; and so many a day for each user. */
    private static Policy policy(long aDay) {
        return Policy.named("sms")
                .rule(
                        "provider",
                        Limit.leakyBucket(100, 25, Duration.ofSeconds(1)).shaper())
                .rule("per-user", Limit.calendarWindow(aDay, CalendarWindow.Unit.DAY, BERLIN), Attributes.USER)
                .build();
    }

    private static boolean isSent(int number) {
        return number != 2;
    }

    private static void show(Decision decision) {
        System.out.println(decision.deniedBy().map(rule -> "denied by " + rule).orElse("one more"));
    }
}
