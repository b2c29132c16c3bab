package io.headgate.examples;

import io.headgate.limits.InMemoryLimitEngine;
import io.headgate.limits.Limit;
import io.headgate.limits.LimitEngine;
import io.headgate.limits.Limiter;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicLong;

/** The same limits without Redis, by a clock that a test sets. */
public final class InMemory {

    private InMemory() {}

    /** Is denied, lets a minute pass, and is allowed. */
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
