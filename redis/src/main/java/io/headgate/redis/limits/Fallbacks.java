package io.headgate.redis.limits;

import io.headgate.limits.Policy;
import io.headgate.limits.TimeSource;
import io.headgate.limits.internal.Counters;
import io.headgate.limits.internal.LocalShare;
import io.headgate.redis.internal.LettuceExecutor;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;

/** What all fallbacks of an engine have in common: what it counts in memory, and what is still to be charged. */
final class Fallbacks {

    /** How many keys are counted, remembered and charged later, each at most. */
    static final int MAX_KEYS = 100_000;

    private static final int MAX_REMEMBERED = 50_000;

    /** How long what was spent is paid before decisions are asked again; the rest is paid beside them. */
    private static final long MOST_PAYING_NANOS = TimeUnit.SECONDS.toNanos(1);

    private final Function<Policy, PolicyPlanner> planners;
    private final LettuceExecutor executor;
    private final TimeSource time;
    private final Instances instances;
    private final boolean countsInstances;
    private final Counters counters = new Counters(MAX_KEYS);
    private final LastUsed lastUsed = new LastUsed(MAX_REMEMBERED);
    private final Set<PolicyFallback> owing = ConcurrentHashMap.newKeySet();
    private final RedisWatch watch;

    /**
     * Those of an engine.
     *
     * @param time of what is counted in memory
     * @param instances how many there are, this one included
     * @param countsInstances whether they are counted without being told to
     * @param watches makes what watches over Redis, and has all that is owed paid
     */
    Fallbacks(
            Function<Policy, PolicyPlanner> planners,
            LettuceExecutor executor,
            TimeSource time,
            Instances instances,
            boolean countsInstances,
            Function<RedisWatch.Debts, RedisWatch> watches) {
        this.planners = planners;
        this.executor = executor;
        this.time = time;
        this.instances = instances;
        this.countsInstances = countsInstances;
        this.watch = watches.apply(new Debts());
    }

    RedisWatch watch() {
        return watch;
    }

    LettuceExecutor executor() {
        return executor;
    }

    LastUsed lastUsed() {
        return lastUsed;
    }

    int instances() {
        return instances.count();
    }

    /** From now on this instance is one of those that share limits. */
    void begin() {
        if (countsInstances) {
            instances.begin();
        }
    }

    long nowMicros() {
        return time.nowMicros();
    }

    PolicyPlanner planner(Policy policy) {
        return planners.apply(policy);
    }

    LocalShare shareOf(Policy policy) {
        return new LocalShare(policy, counters, time);
    }

    /** One has admitted something that is to be charged. */
    void owes(PolicyFallback fallback) {
        if (!owing.contains(fallback)) {
            owing.add(fallback);
            watch.run();
        }
    }

    /** Whether nothing is still to be charged. */
    boolean owesNothing() {
        return owing.isEmpty();
    }

    /** How many keys are counted in memory. */
    long keys() {
        return counters.size();
    }

    /** This instance shares no more; of which Redis is told, if it is there and hears it within that time. */
    void close(Duration atMost) {
        if (watch.asks()) {
            instances.end(atMost);
        }
    }

    /** What is still to be charged. */
    private final class Debts implements RedisWatch.Debts {

        @Override
        public boolean isEmpty() {
            return owing.isEmpty();
        }

        @Override
        public CompletableFuture<Void> payAll() {
            return pay(System.nanoTime() + MOST_PAYING_NANOS);
        }

        private CompletableFuture<Void> pay(long untilNanos) {
            return paySome(Long.MAX_VALUE)
                    .thenCompose(any -> any && System.nanoTime() - untilNanos < 0
                            ? pay(untilNanos)
                            : CompletableFuture.completedFuture(null));
        }

        @Override
        public CompletableFuture<Boolean> payLate() {
            // By then the answer is there, if one comes: what Redis charged after all is not to be charged again.
            return paySome(time.nowMicros() - TimeUnit.SECONDS.toMicros(1));
        }

        private CompletableFuture<Boolean> paySome(long untouchedSinceMicros) {
            List<CompletableFuture<Boolean>> all = new ArrayList<>();
            for (PolicyFallback fallback : List.copyOf(owing)) {
                owing.remove(fallback);
                all.add(fallback.pay(untouchedSinceMicros).whenComplete((any, problem) -> {
                    if (fallback.owes()) {
                        owing.add(fallback);
                    }
                }));
            }
            return CompletableFuture.allOf(all.toArray(CompletableFuture[]::new))
                    .thenApply(done -> all.stream().anyMatch(CompletableFuture::join));
        }
    }
}
