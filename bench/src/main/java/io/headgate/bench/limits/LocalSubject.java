package io.headgate.bench.limits;

import com.google.common.util.concurrent.RateLimiter;
import io.github.bucket4j.Bucket;
import io.github.resilience4j.ratelimiter.RateLimiterConfig;
import io.github.resilience4j.ratelimiter.internal.AtomicRateLimiter;
import io.headgate.limits.InMemoryLimitEngine;
import io.headgate.limits.Limit;
import io.headgate.limits.Limiter;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Function;
import java.util.function.Predicate;
import java.util.function.Supplier;

/**
 * What is measured in memory: token buckets that admit more than anybody can ask for. The peers limit one thing each,
 * so for many keys they are kept in a map, as their users do.
 */
enum LocalSubject {
    /** Reads the clock, as each of the others must for every decision. */
    CLOCK("floor-clock") {
        @Override
        LocalGate open(boolean manyKeys) {
            return key -> System.nanoTime() != 0;
        }
    },
    HEADGATE(Subjects.TOKEN_BUCKET) {
        @Override
        LocalGate open(boolean manyKeys) {
            Limiter limiter = InMemoryLimitEngine.create()
                    .limiter("bench", Limit.tokenBucket(PERMITS_A_SECOND, PERMITS_A_SECOND, SECOND));
            return key -> limiter.tryAcquire(key).allowed();
        }
    },
    BUCKET4J(Subjects.BUCKET4J) {
        @Override
        LocalGate open(boolean manyKeys) {
            return kept(
                    manyKeys,
                    () -> Bucket.builder()
                            .addLimit(limit -> limit.capacity(PERMITS_A_SECOND).refillGreedy(PERMITS_A_SECOND, SECOND))
                            .build(),
                    bucket -> bucket.tryConsume(1));
        }
    },
    RESILIENCE4J(Subjects.RESILIENCE4J) {
        @Override
        LocalGate open(boolean manyKeys) {
            RateLimiterConfig config = RateLimiterConfig.custom()
                    .limitForPeriod(PERMITS_A_SECOND)
                    .limitRefreshPeriod(SECOND)
                    .timeoutDuration(Duration.ZERO)
                    .build();
            return kept(
                    manyKeys, () -> new AtomicRateLimiter("bench", config), limiter -> limiter.acquirePermission(1));
        }
    },
    GUAVA(Subjects.GUAVA) {
        @Override
        LocalGate open(boolean manyKeys) {
            return kept(manyKeys, () -> RateLimiter.create(PERMITS_A_SECOND), RateLimiter::tryAcquire);
        }
    };

    private static final int PERMITS_A_SECOND = 1_000_000_000;
    private static final Duration SECOND = Duration.ofSeconds(1);

    /** Its name in tables and in JSON. */
    final String label;

    LocalSubject(String label) {
        this.label = label;
    }

    /** Makes one that is asked for many keys, or for a single one. */
    abstract LocalGate open(boolean manyKeys);

    private static <T> LocalGate kept(boolean manyKeys, Supplier<T> maker, Predicate<T> ask) {
        if (!manyKeys) {
            T only = maker.get();
            return key -> ask.test(only);
        }
        Map<String, T> limiters = new ConcurrentHashMap<>();
        Function<String, T> make = key -> maker.get();
        return key -> {
            // Cheaper than computeIfAbsent alone, which may lock also where the key is there.
            T limiter = limiters.get(key);
            return ask.test(limiter == null ? limiters.computeIfAbsent(key, make) : limiter);
        };
    }

    /** A limiter in this JVM that can be asked. */
    @FunctionalInterface
    interface LocalGate {

        /** Asks for one permit; answers whether it may pass. */
        boolean ask(String key);
    }
}
