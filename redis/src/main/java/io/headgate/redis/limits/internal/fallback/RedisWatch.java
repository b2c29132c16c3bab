package io.headgate.redis.limits.internal.fallback;

import io.headgate.limits.Health;
import io.headgate.limits.LimiterException;
import io.headgate.limits.internal.Causes;
import io.headgate.limits.internal.LimitListeners;
import io.headgate.redis.internal.connection.Reconciler;
import io.headgate.redis.internal.connection.Sweeper;
import io.headgate.redis.internal.script.RedisExecutor;
import io.headgate.redis.internal.script.Script;
import io.headgate.redis.internal.script.ScriptCall;
import io.headgate.redis.limits.internal.calls.LimitFailures;
import io.headgate.redis.limits.internal.planner.Keys;
import java.lang.System.Logger.Level;
import java.time.Duration;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Function;

/**
 * Watches an engine's Redis (circuit breaker with health checks): failed calls open the breaker, and while it is open, a probe runs every
 * tenth of a second. Before decisions are sent to Redis again, the reconcilers send the usage that Redis missed.
 */
public final class RedisWatch {

    private static final System.Logger LOG = System.getLogger(RedisWatch.class.getName());
    private static final Duration EVERY = Duration.ofMillis(100);

    /** If a probe takes longer, Redis is still too slow. */
    private static final long MOST_PROBE_NANOS = Duration.ofMillis(100).toNanos();

    private final RedisExecutor executor;
    private final Script probe;
    private final Keys keys;
    private final String redis;
    private final LimitListeners listeners;
    private final List<Reconciler> reconcilers = new CopyOnWriteArrayList<>();
    private final Runnable onRecovery;
    private final Breaker breaker = new Breaker(this::changed);
    private final Sweeper sweeper;
    private final AtomicBoolean busy = new AtomicBoolean();

    /** The key that probes write; in a Cluster it is on the master that failed last. */
    private volatile String probed;

    private volatile boolean closed;

    /**
     * Creates a watch of a healthy Redis.
     *
     * @param probe a script that writes, as decisions do
     * @param keys creates the keys of probes
     * @param redis describes the Redis in the log
     * @param onRecovery runs before decisions are sent to Redis again
     */
    public RedisWatch(
            RedisExecutor executor,
            Script probe,
            Keys keys,
            String redis,
            LimitListeners listeners,
            Reconciler reconciler,
            Runnable onRecovery) {
        this.executor = executor;
        this.probe = probe;
        this.keys = keys;
        this.probed = keys.probe();
        this.redis = redis;
        this.listeners = listeners;
        this.reconcilers.add(reconciler);
        this.onRecovery = onRecovery;
        this.sweeper = new Sweeper(EVERY, executor.threads(), this::check, this::isNeeded);
    }

    /** Adds a reconciler. */
    public void add(Reconciler reconciler) {
        reconcilers.add(reconciler);
    }

    /** The current health. */
    public Health health() {
        return breaker.health();
    }

    /** Whether decisions are sent to Redis. */
    boolean callsRedis() {
        return breaker.callsRedis();
    }

    /** Checks Redis periodically from now on, while it is not healthy or usage is unsynced. */
    void run() {
        if (!closed) {
            sweeper.run();
        }
    }

    /** Starts with probes, because Redis could not be reached when the engine started. */
    public void begin(String problem) {
        breaker.begin(problem + "; the engine keeps trying to connect");
        run();
    }

    /** Records that a request received a reply. */
    public void answered() {
        if (breaker.isTroubled()) {
            breaker.answered(System.nanoTime());
        }
    }

    /** Records that a request failed, unless the failure concerns only its key and not Redis. */
    public void failed(Throwable problem) {
        if (Causes.of(problem) instanceof LimiterException failure && !LimitFailures.concernsOneKey(failure)) {
            if (callsRedis()) {
                probeMasterOf(failure);
            }
            breaker.failed(System.nanoTime(), failure.problem());
            run();
        }
    }

    /** Lets probes write to the master of the failed call, which may be the only one that is not available. */
    private void probeMasterOf(LimiterException failure) {
        if (executor.isCluster() && keys.hasPrefix(failure.key())) {
            probed = keys.probe(failure.key());
        }
    }

    /** Stops checking. */
    void close() {
        closed = true;
    }

    private boolean isNeeded() {
        return !closed && (breaker.health() != Health.HEALTHY || !isSynced());
    }

    private boolean isSynced() {
        return reconcilers.stream().allMatch(Reconciler::isSynced);
    }

    private CompletableFuture<Void> syncEach(Function<Reconciler, CompletableFuture<?>> sync) {
        return CompletableFuture.allOf(reconcilers.stream().map(sync).toArray(CompletableFuture[]::new));
    }

    private void check() {
        boolean mustProbe = breaker.tick(System.nanoTime());
        if (!busy.compareAndSet(false, true)) {
            return;
        }
        try {
            CompletableFuture<?> done =
                    !callsRedis() ? probe() : mustProbe ? probeWithoutCalls() : syncEach(Reconciler::syncOverdue);
            done.whenComplete((any, problem) -> {
                busy.set(false);
                if (isNeeded()) {
                    run();
                }
            });
        } catch (RuntimeException | Error e) {
            busy.set(false);
            LOG.log(Level.WARNING, "could not check " + redis, e);
        }
    }

    private CompletableFuture<?> probe() {
        return probeProblem().thenCompose(problem -> {
            if (problem.isPresent()) {
                breaker.probeFailed(problem.get());
                return CompletableFuture.completedFuture(null);
            }
            return breaker.probeAnswered() ? recover() : CompletableFuture.completedFuture(null);
        });
    }

    /** Sends a probe and counts its outcome as that of a call: the last calls failed, and there was none since. */
    private CompletableFuture<?> probeWithoutCalls() {
        return probeProblem().thenAccept(problem -> {
            if (problem.isPresent()) {
                breaker.failed(System.nanoTime(), problem.get());
            } else {
                breaker.answered(System.nanoTime());
            }
        });
    }

    /** Sends a probe; completes with the reason why it failed, or empty if the reply arrived in time. */
    private CompletableFuture<Optional<String>> probeProblem() {
        long sentNanos = System.nanoTime();
        return executor.execute(new ScriptCall<>(probe, new String[] {probed}, new byte[0][], reply -> reply))
                .handle((reply, problem) -> {
                    if (problem != null) {
                        return Optional.of(problemOf(problem));
                    }
                    return System.nanoTime() - sentNanos > MOST_PROBE_NANOS
                            ? Optional.of("it took longer than " + MOST_PROBE_NANOS / 1_000_000 + " ms")
                            : Optional.empty();
                });
    }

    private CompletableFuture<Void> recover() {
        return syncEach(Reconciler::syncAll).handle((done, problem) -> {
            if (problem == null) {
                notifyRecovery();
                breaker.close(System.nanoTime());
            } else {
                if (Causes.of(problem) instanceof LimiterException failure) {
                    probeMasterOf(failure);
                }
                breaker.probeFailed("the usage during the outage could not be charged: " + problemOf(problem));
            }
            return null;
        });
    }

    /** The problem without the key of the call, which contains ids: changes of health are logged. */
    private static String problemOf(Throwable thrown) {
        Throwable cause = Causes.of(thrown);
        return cause instanceof LimiterException failure ? failure.problem() : String.valueOf(cause);
    }

    private void notifyRecovery() {
        try {
            onRecovery.run();
        } catch (RuntimeException e) {
            LOG.log(Level.WARNING, "not all parts of the engine have resumed with " + redis, e);
        }
    }

    private void changed(Health before, Health now, String reason) {
        LOG.log(
                now.callsRedis() ? Level.INFO : Level.WARNING,
                redis + " is " + name(now) + ", was " + name(before) + ": " + reason
                        + (now == Health.DEGRADED ? "; fallbacks decide" : ""));
        listeners.onHealthChange(before, now, reason);
    }

    private static String name(Health health) {
        return health.name().toLowerCase(Locale.ROOT);
    }
}
