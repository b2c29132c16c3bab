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

/** Sends SMS at the provider's pace, and at most a few a day for each user. */
public final class OutgoingCalls {

    private static final ZoneId BERLIN = ZoneId.of("Europe/Berlin");

    private OutgoingCalls() {}

    /** Sends three SMS, of which one fails; then lowers the limit. */
    public static void main(String[] args) throws InterruptedException {
        String redis = args.length > 0 ? args[0] : "redis://localhost:6379";
        try (LimitEngine limits = RedisLimitEngine.connect(redis)) {
            Limiter sms = limits.limiter(policy(3));
            for (int i = 1; i <= 3; i++) {
                Decision decision = sms.acquire("alice", Duration.ofSeconds(5)); // waits for permits
                if (decision.allowed() && !isSent(i)) {
                    sms.refund("alice", decision); // the SMS was not sent, so it does not count
                }
            }
            show(sms.peek("alice"));
            sms.update(policy(2)); // keeps the counts
            show(sms.peek("alice"));
        }
    }

    /** The provider gets 25 a second, evenly spaced, and up to 100 are queued; each user gets a number a day. */
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
