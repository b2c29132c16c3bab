package io.headgate.examples;

import io.headgate.limits.InMemoryLimitEngine;
import io.headgate.limits.Limit;
import io.headgate.limits.LimitEngine;
import io.headgate.limits.Limiter;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicLong;

/** Limits in memory, without Redis, with a clock that a test sets. */
public final class InMemory {

    private InMemory() {}

    /** Makes two requests, of which the second is denied, advances the clock by a minute, and makes a third one. */
    public static void main(String[] args) {
        AtomicLong nowMicros = new AtomicLong();
        try (LimitEngine limits =
                InMemoryLimitEngine.builder().time(nowMicros::get).build()) {
            Limiter logins = limits.limiter("logins", Limit.slidingWindow(1, Duration.ofMinutes(1)));
            System.out.println(logins.tryAcquire("alice").allowed()); // true
            System.out.println(logins.tryAcquire("alice").allowed()); // false
            nowMicros.addAndGet(60_000_000);
            System.out.println(logins.tryAcquire("alice").allowed()); // true
        }
    }
}
