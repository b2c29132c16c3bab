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
 * The limiters in memory, with more permits than a benchmark can use, and the floor. A limiter of a peer has a single key, so a map has
 * a limiter for each key, as in applications.
 */
enum LocalSubject {
    /** Reads the clock, which every limiter does for each decision. */
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
                    .limiter("bench", Limit.tokenBucket(PERMITS_PER_SECOND, PERMITS_PER_SECOND, SECOND));
            return key -> limiter.tryAcquire(key).allowed();
        }
    },
    BUCKET4J(Subjects.BUCKET4J) {
        @Override
        LocalGate open(boolean manyKeys) {
            return ofLimiters(
                    manyKeys,
                    () -> Bucket.builder()
                            .addLimit(limit ->
                                    limit.capacity(PERMITS_PER_SECOND).refillGreedy(PERMITS_PER_SECOND, SECOND))
                            .build(),
                    bucket -> bucket.tryConsume(1));
        }
    },
    RESILIENCE4J(Subjects.RESILIENCE4J) {
        @Override
        LocalGate open(boolean manyKeys) {
            RateLimiterConfig config = RateLimiterConfig.custom()
                    .limitForPeriod(PERMITS_PER_SECOND)
                    .limitRefreshPeriod(SECOND)
                    .timeoutDuration(Duration.ZERO)
                    .build();
            return ofLimiters(
                    manyKeys, () -> new AtomicRateLimiter("bench", config), limiter -> limiter.acquirePermission(1));
        }
    },
    GUAVA(Subjects.GUAVA) {
        @Override
        LocalGate open(boolean manyKeys) {
            return ofLimiters(manyKeys, () -> RateLimiter.create(PERMITS_PER_SECOND), RateLimiter::tryAcquire);
        }
    };

    private static final int PERMITS_PER_SECOND = 1_000_000_000;
    private static final Duration SECOND = Duration.ofSeconds(1);

    /** Its name in tables and in JSON. */
    final String label;

    LocalSubject(String label) {
        this.label = label;
    }

    /** Creates a limiter for many keys, or for a single one. */
    abstract LocalGate open(boolean manyKeys);

    private static <T> LocalGate ofLimiters(boolean manyKeys, Supplier<T> maker, Predicate<T> acquire) {
        if (!manyKeys) {
            T only = maker.get();
            return key -> acquire.test(only);
        }
        Map<String, T> limiters = new ConcurrentHashMap<>();
        Function<String, T> make = key -> maker.get();
        return key -> {
            // Cheaper than computeIfAbsent alone, which may lock even if the key exists.
            T limiter = limiters.get(key);
            return acquire.test(limiter == null ? limiters.computeIfAbsent(key, make) : limiter);
        };
    }

    /** A limiter in this JVM. */
    @FunctionalInterface
    interface LocalGate {

        /** Requests one permit; returns whether it is allowed. */
        boolean tryAcquire(String key);
    }
}
