package io.headgate.redis.limits.internal.fallback;

import io.headgate.limits.LimiterException;
import io.headgate.limits.Policy;
import io.headgate.limits.TimeSource;
import io.headgate.limits.internal.HeapBounds;
import io.headgate.limits.internal.memory.Counters;
import io.headgate.limits.internal.memory.LocalShare;
import io.headgate.redis.internal.connection.Reconciler;
import io.headgate.redis.limits.internal.calls.PolicyCalls;
import io.headgate.redis.limits.internal.inflight.RedisState;
import io.headgate.redis.limits.internal.planner.PolicyPlanner;
import java.time.Duration;
import java.util.function.Function;

/** The shared parts of an engine's fallbacks: counters in memory, the usage to charge later, and the state of Redis. */
public final class Fallbacks {

    /** The maximum number of keys that are counted in memory: a twelfth of the heap. */
    private static final int MAX_KEYS = HeapBounds.entries(12, HeapBounds.BYTES_PER_KEY, 1024, 100_000);

    /** The maximum number of keys whose last usage in Redis is remembered: 1/32 of the heap, at 250 bytes a key. */
    private static final int MAX_REMEMBERED = HeapBounds.entries(32, 250, 1024, 50_000);

    private final PolicyCalls calls;
    private final TimeSource time;
    private final Instances instances;
    private final boolean countsInstances;
    private final Counters counters = new Counters(MAX_KEYS);
    private final LastUsed lastUsed = new LastUsed(MAX_REMEMBERED);
    private final UsageReconciler reconciler;
    private final RedisWatch watch;

    /**
     * Creates the fallbacks of an engine.
     *
     * @param time the clock of the counters in memory
     * @param timeout the time after which no reply is expected
     * @param instances registers this instance and counts all
     * @param countsInstances whether instances register and are counted in the background
     * @param watches creates the watch of Redis, which runs the reconciler
     */
    public Fallbacks(
            Function<Policy, PolicyPlanner> planners,
            PolicyCalls calls,
            TimeSource time,
            Duration timeout,
            Instances instances,
            boolean countsInstances,
            Function<Reconciler, RedisWatch> watches) {
        this.calls = calls;
        this.time = time;
        this.instances = instances;
        this.countsInstances = countsInstances;
        this.reconciler = new UsageReconciler(planners, calls, time, timeout, this::runWatch);
        this.watch = watches.apply(reconciler);
    }

    private void runWatch() {
        watch.run();
    }

    public RedisWatch watch() {
        return watch;
    }

    PolicyCalls calls() {
        return calls;
    }

    LastUsed lastUsed() {
        return lastUsed;
    }

    public UsageReconciler reconciler() {
        return reconciler;
    }

    public int instances() {
        return instances.count();
    }

    /** Registers this instance as one of those that share limits. Does nothing when called again, or if instances are not counted. */
    public void registerInstance() {
        if (countsInstances) {
            instances.begin();
        }
    }

    /** Runs after an outage or the first connection: registers this instance immediately, and counts the others. */
    public void onRecovery() {
        instances.registerNow();
    }

    /** The clock of the counters in memory. */
    TimeSource time() {
        return time;
    }

    long nowMicros() {
        return time.nowMicros();
    }

    LocalShare shareOf(Policy policy) {
        return new LocalShare(policy, counters, time);
    }

    /** Stops the watch. If Redis is available, also unregisters this instance, and waits for that up to the timeout. */
    public void close(Duration timeout) {
        watch.close();
        instances.end(watch.callsRedis() ? timeout : Duration.ZERO);
    }

    /** Returns the state of Redis for in-flight limits, which read and report it. */
    public RedisState state() {
        return new RedisState() {
            @Override
            public boolean isAvailable() {
                return watch.callsRedis();
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
            public void shareLimits() {
                registerInstance();
            }

            @Override
            public int instances() {
                return instances.count();
            }

            @Override
            public void requireSync() {
                watch.run();
            }
        };
    }
}
