package io.headgate.redis.limits;

import io.headgate.limits.Attributes;
import io.headgate.limits.InFlightLimiter;
import io.headgate.limits.InMemoryLimitEngine;
import io.headgate.limits.Limit;
import io.headgate.limits.LimitEngine;
import io.headgate.limits.Limiter;
import io.headgate.limits.PermitRequest;
import io.headgate.limits.RequestId;
import java.time.Duration;
import java.util.List;
import java.util.Random;
import java.util.stream.IntStream;

/**
 * A program that requests permits of ten policies, each for 60,000 distinct ids, short and long, and prints how many of these requests
 * were allowed. In each of the 60,000 rounds it also sends a request with a request id, and acquires a hold.
 */
final class DistinctIdsProcess {

    private static final int POLICIES = 10;
    private static final int IDS = 60_000;

    private DistinctIdsProcess() {}

    public static void main(String[] args) {
        try (LimitEngine limits =
                args[0].equals("memory") ? InMemoryLimitEngine.create() : RedisLimitEngine.connect(args[0])) {
            List<Limiter> limiters = IntStream.range(0, POLICIES)
                    .mapToObj(i -> limits.limiter("policy" + i, limit(i)))
                    .toList();
            InFlightLimiter exports = limits.inFlight("exports", 1);
            Random random = new Random(7);
            long allowed = 0;
            for (int i = 0; i < IDS; i++) {
                String id = Long.toHexString(random.nextLong()) + "-" + "x".repeat(i % 4 == 0 ? 1000 : 100) + i;
                for (int policy = 0; policy < POLICIES; policy++) {
                    // A different string for each policy, so that the engine cannot share one.
                    allowed += limiters.get(policy).tryAcquire(policy + id).allowed() ? 1 : 0;
                }
                limiters.get(0).tryAcquire(PermitRequest.of(id).withId(RequestId.of("request-" + i)));
                // It is never released.
                exports.async()
                        .tickets()
                        .tryAcquire(PermitRequest.of(Attributes.of(Attributes.KEY, id)), Duration.ofMinutes(30));
            }
            System.out.println("allowed " + allowed);
        }
    }

    private static Limit limit(int policy) {
        return policy % 2 == 0
                ? Limit.slidingWindow(10, Duration.ofHours(1))
                : Limit.tokenBucket(10, 10, Duration.ofHours(1));
    }
}
