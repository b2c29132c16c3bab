package io.headgate.examples;

import io.headgate.limits.Decision;
import io.headgate.limits.Limit;
import io.headgate.limits.LimitEngine;
import io.headgate.limits.Limiter;
import io.headgate.limits.PermitRequest;
import io.headgate.limits.RequestId;
import io.headgate.redis.limits.RedisLimitEngine;
import java.time.Duration;

/** A request that is retried under its request id, and charged once. */
public final class Retries {

    private Retries() {}

    /** Makes the same request twice. */
    public static void main(String[] args) {
        String redis = args.length > 0 ? args[0] : "redis://localhost:6379";
        try (LimitEngine limits = RedisLimitEngine.connect(redis)) {
            Limiter orders = limits.limiter("orders", Limit.slidingWindow(10, Duration.ofMinutes(1)));
            PermitRequest order = PermitRequest.of("alice").withId(RequestId.of("order-4711"));
            Decision decision = orders.tryAcquire(order);
            Decision retry = orders.tryAcquire(order); // the same decision; nothing more is charged
            System.out.println("same decision: " + retry.equals(decision));
            System.out.println(orders.peek("alice").remaining() + " left");
        }
    }
}
