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
 * probe runs every tenth of a second. Before decisions are sent to Redis again, the reconcilers charge what was spent meanwhile.
 */
public final class RedisWatch {

    private static final System.Logger LOG = System.getLogger(RedisWatch.class.getName());
    private static final Duration EVERY = Duration.ofMillis(100);

    /** A probe that takes longer says that Redis is too slow still. */
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

    /** What probes write; in a Cluster at the master that failed last. */
    private volatile String probed;

    private volatile boolean closed;

    /**
     * Finds it healthy, until told.
     *
     * @param probe does what decisions do: it writes
     * @param keys what it writes
     * @param redis which Redis it is, for the log
     * @param isBack is run before decisions are asked of it again
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
        this.sweeper = new Sweeper(EVERY, executor.threads(), this::look, this::isNeeded);
    }

    /** Runs another reconciler, too. */
    public void add(Reconciler reconciler) {
        reconcilers.add(reconciler);
    }

    /** How it is. */
    public Health health() {
        return breaker.health();
    }

    /** Whether it is to be asked. */
    boolean asks() {
        return breaker.asks();
    }

    /** Looks again and again from now on, as long as there is anything to look at. */
    void run() {
        if (!closed) {
            sweeper.run();
        }
    }

    /** It could not be reached at first; it is asked whether it is there until it is. */
    public void begin(String problem) {
        breaker.begin(problem + "; goes on trying");
        run();
    }

    /** A request was answered. */
    public void answered() {
        if (breaker.isTroubled()) {
            breaker.answered(System.nanoTime());
        }
    }

    /** A request failed; what is only wrong with its key says nothing of Redis. */
    public void failed(Throwable problem) {
        if (Causes.of(problem) instanceof LimiterException failure && !LimitFailures.isOfKey(failure)) {
            if (asks()) {
                probeBeside(failure);
            }
            breaker.failed(System.nanoTime(), failure.problem());
            run();
        }
    }

    /** One master may be gone and the others not: then it is the one that is to be there again. */
    private void probeBeside(LimiterException failure) {
        if (executor.isCluster() && keys.isOurs(failure.key())) {
            probed = keys.probe(failure.key());
        }
    }

    /** Looks no more. */
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

    private void look() {
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
            LOG.log(Level.WARNING, "could not look after " + redis, e);
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
                tellThatItIsBack();
                breaker.close(System.nanoTime());
            } else {
                if (Causes.of(problem) instanceof LimiterException failure) {
                    probeBeside(failure);
                }
                breaker.probeFailed("what was spent meanwhile could not be charged: "
                        + Causes.of(problem).getMessage());
            }
            return null;
        });
    }

    private void tellThatItIsBack() {
        try {
            isBack.run();
        } catch (RuntimeException e) {
            LOG.log(Level.WARNING, "not all was taken up again of " + redis, e);
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
