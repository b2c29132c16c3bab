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
 * Watches an engine's Redis (circuit breaker with health checks): the outcomes of calls open the breaker, and while it is open, a
 * probe runs every tenth of a second. Before decisions are sent to Redis again, the reconcilers send what it missed.
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
    private final Runnable isBack;
    private final Breaker breaker = new Breaker(this::changed);
    private final Sweeper sweeper;
    private final AtomicBoolean busy = new AtomicBoolean();

    /** The key that probes write; in a Cluster on the master that failed last. */
    private volatile String probed;

    private volatile boolean closed;

    /**
     * Creates a watch of a healthy Redis.
     *
     * @param probe a script that writes, as decisions do
     * @param keys the keys that it writes
     * @param redis describes the Redis in the log
     * @param isBack runs before decisions are sent to Redis again
     */
    public RedisWatch(
            RedisExecutor executor,
            Script probe,
            Keys keys,
            String redis,
            LimitListeners listeners,
            Reconciler reconciler,
            Runnable isBack) {
        this.executor = executor;
        this.probe = probe;
        this.keys = keys;
        this.probed = keys.probe();
        this.redis = redis;
        this.listeners = listeners;
        this.reconcilers.add(reconciler);
        this.isBack = isBack;
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
    boolean asks() {
        return breaker.asks();
    }

    /** Checks Redis periodically from now on, while it is not healthy or usage is unsynced. */
    void run() {
        if (!closed) {
            sweeper.run();
        }
    }

    /** Redis was not reachable at the start; probes run until it is. */
    public void begin(String problem) {
        breaker.begin(problem + "; the engine keeps trying to connect");
        run();
    }

    /** A request received a reply. */
    public void answered() {
        if (breaker.isTroubled()) {
            breaker.answered(System.nanoTime());
        }
    }

    /** A request failed. A failure that concerns only its key does not concern Redis. */
    public void failed(Throwable problem) {
        if (Causes.of(problem) instanceof LimiterException failure && !LimitFailures.concernsOneKey(failure)) {
            if (asks()) {
                probeBeside(failure);
            }
            breaker.failed(System.nanoTime(), failure.problem());
            run();
        }
    }

    /** If only one master is away, probes must find that one available. */
    private void probeBeside(LimiterException failure) {
        if (executor.isCluster() && keys.isOurs(failure.key())) {
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

    private CompletableFuture<Void> each(Function<Reconciler, CompletableFuture<?>> sync) {
        return CompletableFuture.allOf(reconcilers.stream().map(sync).toArray(CompletableFuture[]::new));
    }

    private void check() {
        boolean mustProbe = breaker.tick(System.nanoTime());
        if (!busy.compareAndSet(false, true)) {
            return;
        }
        try {
            CompletableFuture<?> done =
                    !asks() ? probe() : mustProbe ? probeInsteadOfCalls() : each(Reconciler::syncOverdue);
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
            return breaker.probeAnswered() ? goBack() : CompletableFuture.completedFuture(null);
        });
    }

    /** The last calls failed, and none was made since: a probe takes the place of the next call. */
    private CompletableFuture<?> probeInsteadOfCalls() {
        return probeProblem().thenAccept(problem -> {
            if (problem.isPresent()) {
                breaker.failed(System.nanoTime(), problem.get());
            } else {
                breaker.answered(System.nanoTime());
            }
        });
    }

    /** Sends a probe. The result is what was wrong with the answer, or empty if it came in time. */
    private CompletableFuture<Optional<String>> probeProblem() {
        long sentNanos = System.nanoTime();
        return executor.execute(new ScriptCall<>(probe, new String[] {probed}, new byte[0][], reply -> reply))
                .handle((reply, problem) -> {
                    if (problem != null) {
                        return Optional.of(
                                Causes.of(problem) instanceof LimiterException failure
                                        ? failure.problem()
                                        : String.valueOf(problem));
                    }
                    return System.nanoTime() - sentNanos > MOST_PROBE_NANOS
                            ? Optional.of("it took longer than " + MOST_PROBE_NANOS / 1_000_000 + " ms")
                            : Optional.empty();
                });
    }

    private CompletableFuture<Void> goBack() {
        return each(Reconciler::syncAll).handle((done, problem) -> {
            if (problem == null) {
                notifyBack();
                breaker.close(System.nanoTime());
            } else {
                if (Causes.of(problem) instanceof LimiterException failure) {
                    probeBeside(failure);
                }
                breaker.probeFailed("the usage during the outage could not be charged: "
                        + Causes.of(problem).getMessage());
            }
            return null;
        });
    }

    private void notifyBack() {
        try {
            isBack.run();
        } catch (RuntimeException e) {
            LOG.log(Level.WARNING, "not all parts of the engine have resumed with " + redis, e);
        }
    }

    private void changed(Health before, Health now, String reason) {
        LOG.log(
                now.asksRedis() ? Level.INFO : Level.WARNING,
                redis + " is " + name(now) + ", was " + name(before) + ": " + reason);
        listeners.onHealthChange(before, now, reason);
    }

    private static String name(Health health) {
        return health.name().toLowerCase(Locale.ROOT);
    }
}
