package io.headgate.bench.limits;

import com.google.common.util.concurrent.RateLimiter;
import io.github.bucket4j.Bucket;
import io.github.resilience4j.ratelimiter.RateLimiterConfig;
import io.github.resilience4j.ratelimiter.internal.AtomicRateLimiter;
import io.headgate.limits.Attributes;
import io.headgate.limits.Decision;
import io.headgate.limits.InMemoryLimitEngine;
import io.headgate.limits.Limit;
import io.headgate.limits.LimitListener;
import io.headgate.limits.Limiter;
import io.headgate.limits.Policy;
import io.headgate.limits.bans.BanRequest;
import io.headgate.limits.bans.BanTarget;
import io.headgate.limits.bans.Bans;
import io.headgate.micrometer.LimitMetrics;
import io.micrometer.prometheusmetrics.PrometheusConfig;
import io.micrometer.prometheusmetrics.PrometheusMeterRegistry;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.function.Predicate;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

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
            return ofEngine(limits -> {});
        }
    },
    /** Has a listener that keeps the last request and its decision, so that the compiler cannot remove these objects. */
    LISTENER(Subjects.LISTENER) {
        @Override
        LocalGate open(boolean manyKeys) {
            return ofEngine(limits -> limits.addListener(new LastDecision()));
        }
    },
    /** Counts each decision in a registry of Prometheus. */
    METRICS(Subjects.METRICS) {
        @Override
        LocalGate open(boolean manyKeys) {
            return ofEngine(
                    limits -> new LimitMetrics(limits).bindTo(new PrometheusMeterRegistry(PrometheusConfig.DEFAULT)));
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
    },
    /** Counts addresses, and has no bans. */
    NO_BANS("headgate-no-bans") {
        @Override
        LocalGate open(boolean manyKeys) {
            return ofAddresses(bans -> {});
        }

        @Override
        String key(int index) {
            return address(index);
        }
    },
    /** Counts addresses, and has 90 000 bans of users and 10 000 of blocks, none of which applies. */
    BANS("headgate-100000-bans") {
        @Override
        LocalGate open(boolean manyKeys) {
            return ofAddresses(bans -> {
                for (int i = 0; i < Bans.MAX_ENTRIES - Bans.MAX_BLOCKS; i++) {
                    bans.add(BanRequest.ban(BanTarget.user("user" + i)));
                }
                for (int i = 0; i < Bans.MAX_BLOCKS; i++) {
                    bans.add(BanRequest.ban(BanTarget.ip("10." + i / 256 + "." + i % 256 + ".0/24")));
                }
            });
        }

        @Override
        String key(int index) {
            return address(index);
        }
    };

    /** Those that are compared with the peers. */
    static final List<LocalSubject> BESIDE_PEERS = List.of(CLOCK, HEADGATE, BUCKET4J, RESILIENCE4J, GUAVA);

    /** Those that show the cost of metrics. */
    static final List<LocalSubject> OF_METRICS = List.of(HEADGATE, LISTENER, METRICS);

    /** Those that show the cost of bans. */
    static final List<LocalSubject> OF_BANS = List.of(CLOCK, NO_BANS, BANS);

    private static final int PERMITS_PER_SECOND = 1_000_000_000;
    private static final Duration SECOND = Duration.ofSeconds(1);

    /** Its name in tables and in JSON. */
    final String label;

    LocalSubject(String label) {
        this.label = label;
    }

    /** Creates a limiter for many keys, or for a single one. */
    abstract LocalGate open(boolean manyKeys);

    /** Returns a key of the requests. */
    String key(int index) {
        return "user" + index;
    }

    private static String address(int index) {
        return "192." + (index >> 16 & 0xff) + "." + (index >> 8 & 0xff) + "." + (index & 0xff);
    }

    private static LocalGate ofEngine(Consumer<InMemoryLimitEngine> setUp) {
        InMemoryLimitEngine limits = InMemoryLimitEngine.create();
        setUp.accept(limits);
        Limiter limiter = limits.limiter("bench", Limit.tokenBucket(PERMITS_PER_SECOND, PERMITS_PER_SECOND, SECOND));
        return key -> limiter.tryAcquire(key).allowed();
    }

    private static LocalGate ofAddresses(Consumer<Bans> setUp) {
        InMemoryLimitEngine limits = InMemoryLimitEngine.create();
        setUp.accept(limits.bans());
        Limit limit = Limit.tokenBucket(PERMITS_PER_SECOND, PERMITS_PER_SECOND, SECOND);
        Limiter limiter = limits.limiter(Policy.of("bench", limit, Attributes.IP));
        return key -> limiter.tryAcquire(key).allowed();
    }

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

    /** Keeps the last request and its decision. */
    private static final class LastDecision implements LimitListener {

        private final AtomicReference<@Nullable Attributes> attributes = new AtomicReference<>();
        private final AtomicReference<@Nullable Decision> decision = new AtomicReference<>();

        @Override
        public void onDecision(Policy policy, Attributes of, long permits, Decision made, long elapsedNanos) {
            attributes.set(of);
            decision.set(made);
        }
    }

    /** A limiter in this JVM. */
    @FunctionalInterface
    interface LocalGate {

        /** Requests one permit; returns whether it is allowed. */
        boolean tryAcquire(String key);
    }
}
