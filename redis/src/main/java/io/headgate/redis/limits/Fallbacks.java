package io.headgate.redis.limits;

import io.headgate.limits.Limit;
import io.headgate.limits.LimiterException;
import io.headgate.limits.Policy;
import io.headgate.limits.TimeSource;
import io.headgate.limits.internal.Counters;
import io.headgate.limits.internal.HeapBounds;
import io.headgate.limits.internal.LocalShare;
import io.headgate.limits.internal.Micros;
import io.headgate.redis.inflight.RedisState;
import io.headgate.redis.internal.Debts;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;

/** What all fallbacks of an engine have in common: what it counts in memory, and what is still to be charged. */
final class Fallbacks {

    /** How many keys are counted at most. */
    private static final int MAX_KEYS = HeapBounds.entries(12, HeapBounds.BYTES_PER_KEY, 1024, 100_000);

    /** How many keys are remembered at most, with what Redis last said of them. */
    private static final int MAX_REMEMBERED = HeapBounds.entries(32, 250, 1024, 50_000);

    /** What is to be charged later takes so many bytes at most, under all policies together. */
    private static final long MAX_SPENDING_BYTES = HeapBounds.bytes(12, 1_000_000, 100_000_000);

    private static final int PAID_AT_ONCE = 512;

    private final Function<Policy, PolicyPlanner> planners;
    private final PolicyCalls calls;
    private final TimeSource time;
    private final long lateMicros;
    private final Instances instances;
    private final boolean countsInstances;
    private final Counters counters = new Counters(MAX_KEYS);
    private final LastUsed lastUsed = new LastUsed(MAX_REMEMBERED);
    private final ByteBudget spendingBytes = new ByteBudget(MAX_SPENDING_BYTES);

    /** Kept by the shares of policies, and by what is owed. */
    private final WeaklyByStem<Spending> spending = new WeaklyByStem<>(() -> new Spending(spendingBytes));

    private final Set<PolicyShare> owing = ConcurrentHashMap.newKeySet();
    private final RedisWatch watch;

    /**
     * Those of an engine.
     *
     * @param time of what is counted in memory
     * @param timeout after how long no answer comes any more
     * @param instances how many there are, this one included
     * @param countsInstances whether they are counted without being told to
     * @param watches makes what watches over Redis, and has all that is owed paid
     */
    Fallbacks(
            Function<Policy, PolicyPlanner> planners,
            PolicyCalls calls,
            TimeSource time,
            Duration timeout,
            Instances instances,
            boolean countsInstances,
            Function<Debts, RedisWatch> watches) {
        this.planners = planners;
        this.calls = calls;
        this.time = time;
        this.lateMicros = Math.max(Micros.of(timeout), TimeUnit.SECONDS.toMicros(1));
        this.instances = instances;
        this.countsInstances = countsInstances;
        this.watch = watches.apply(new Charges());
    }

    RedisWatch watch() {
        return watch;
    }

    PolicyCalls calls() {
        return calls;
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

    /** Redis is back, or is there for the first time: it is to know at once of this instance, and this one of the others. */
    void isBack() {
        instances.beatNow();
    }

    /** The clock of this process. */
    TimeSource time() {
        return time;
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

    /** The uncharged usage of one rule under one limit: several limiters may count under the same keys with different limits. */
    Spending spendingOf(String stem, Limit limit) {
        return spending.of(stem + '\n' + limit);
    }

    /** One has admitted something that is to be charged. */
    void owes(PolicyShare share) {
        if (!owing.contains(share)) {
            owing.add(share);
            watch.run();
        }
    }

    /** Whether nothing is still to be charged. */
    boolean owesNothing() {
        return owing.isEmpty();
    }

    /** This instance shares no more; of which Redis is told, if it is there and hears it within that time. */
    void close(Duration atMost) {
        watch.close();
        instances.end(watch.asks() ? atMost : Duration.ZERO);
    }

    /** What in-flight limits have to know of Redis, and say of it. */
    RedisState state() {
        return new RedisState() {
            @Override
            public boolean asks() {
                return watch.asks();
            }

            @Override
            public void answered() {
                watch.answered();
            }

            @Override
            public void failed(LimiterException problem) {
                watch.failed(problem);
            }

            @Override
            public void shares() {
                begin();
            }

            @Override
            public int instances() {
                return instances.count();
            }

            @Override
            public void owes() {
                watch.run();
            }
        };
    }

    /** What is still to be charged. */
    private final class Charges implements Debts {

        @Override
        public boolean isEmpty() {
            return owing.isEmpty();
        }

        @Override
        public CompletableFuture<Void> payAll() {
            // What is admitted meanwhile comes after it.
            long untouchedSinceMicros = time.nowMicros();
            return Debts.payForASecond(() -> paySome(untouchedSinceMicros));
        }

        @Override
        public CompletableFuture<Integer> payLate() {
            // By then the answer is there, if one comes: what Redis charged after all is not to be charged again.
            return paySome(time.nowMicros() - lateMicros);
        }

        private CompletableFuture<Integer> paySome(long untouchedSinceMicros) {
            CompletableFuture<Integer> all = CompletableFuture.completedFuture(0);
            for (PolicyShare share : List.copyOf(owing)) {
                all = all.thenCompose(keys -> keys >= PAID_AT_ONCE
                        ? CompletableFuture.completedFuture(keys)
                        : pay(share, PAID_AT_ONCE - keys, untouchedSinceMicros).thenApply(more -> keys + more));
            }
            return all;
        }

        private CompletableFuture<Integer> pay(PolicyShare share, int keys, long untouchedSinceMicros) {
            return share.pay(keys, untouchedSinceMicros).whenComplete((any, problem) -> {
                if (!share.owes()) {
                    owing.remove(share);
                    // One that admitted something just now may have found itself there.
                    if (share.owes()) {
                        owes(share);
                    }
                }
            });
        }
    }
}
