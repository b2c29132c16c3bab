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

/** Sends SMS at the provider's pace, and at most a few a day for each user; and calls a partner, who asks for a pause. */
public final class OutgoingCalls {

    private static final ZoneId BERLIN = ZoneId.of("Europe/Berlin");

    private static final Duration RETRY_AFTER = Duration.ofSeconds(1);

    private OutgoingCalls() {}

    /** Sends three SMS, of which one fails, and lowers the limit; then calls the partner. */
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
            callPartner(limits);
        }
    }

    /** Calls the partner three times; the second reply has status 429 and a Retry-After. */
    private static void callPartner(LimitEngine limits) throws InterruptedException {
        Limiter partners = limits.limiter(Policy.named("partners")
                .rule("calls", Limit.tokenBucket(10, 10, Duration.ofSeconds(1)), "partner")
                .pausable()
                .build());
        for (int call = 1; call <= 3; call++) {
            Decision decision = partners.acquire("acme", Duration.ofSeconds(5)); // waits for the end of a pause
            if (decision.allowed() && call == 2) {
                partners.pause("acme", RETRY_AFTER); // in all instances
                System.out.println(partners.tryAcquire("acme").basis());
            }
        }
        System.out.println(partners.resume("acme"));
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
