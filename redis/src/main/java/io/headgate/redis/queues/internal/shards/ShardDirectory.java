package io.headgate.redis.queues.internal.shards;

import io.headgate.queues.Enqueued;
import io.headgate.queues.QueueException;
import io.headgate.queues.internal.QueueEvents;
import io.headgate.queues.internal.QueueExceptions;
import io.headgate.redis.internal.connection.EngineFailures;
import io.headgate.redis.queues.internal.job.JobIds;
import io.headgate.redis.queues.internal.queue.ScriptChoice;
import io.headgate.redis.queues.internal.shards.NameRegistry.RegisteredName;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.function.IntFunction;
import java.util.function.Supplier;

/**
 * The current {@link ShardMap} of a queue. All clients agree on it, because the number of shards is registered in Redis with the name of
 * the queue. It is at least the number with which this queue was opened. Whether jobs may have tenants is registered too, before the
 * first job with a tenant is enqueued.
 *
 * <p>The directory reads the number before the first call, which is {@linkplain DeferredCalls deferred} until then. It reads the number
 * again every ten seconds, in parallel to a call. The number never decreases. Safe for use by several threads: calls read the map without
 * a lock.
 */
public final class ShardDirectory<T> {

    private static final long REFRESH_NANOS = TimeUnit.SECONDS.toNanos(10);

    private final String queue;
    private final NameRegistry names;
    private final EngineFailures failures;
    private final IntFunction<ShardMap<T>> opener;
    private final QueueEvents events;
    private final ScriptChoice scripts;
    private final DeferredCalls calls = new DeferredCalls();
    private final AtomicLong refreshAtNanos = new AtomicLong();
    private final AtomicBoolean registered = new AtomicBoolean();
    private final ReentrantLock growing = new ReentrantLock();
    private volatile Consumer<ShardMap<T>> onGrowth = more -> {};
    private volatile ShardMap<T> shards;
    private volatile int registeredCount = 1;

    /**
     * Creates a directory that starts with the given number of shards.
     *
     * @param atLeast the name of the queue, and its minimum number of shards
     * @param failures fails every call once the engine is closed
     * @param opener creates a map of the given number of shards
     * @param scripts the scripts of all shards, which depend on whether there are tenants
     */
    public ShardDirectory(
            RegisteredName atLeast,
            NameRegistry names,
            EngineFailures failures,
            IntFunction<ShardMap<T>> opener,
            ScriptChoice scripts,
            QueueEvents events) {
        this.queue = atLeast.name();
        this.names = names;
        this.failures = failures;
        this.opener = opener;
        this.scripts = scripts;
        this.events = events;
        this.shards = opener.apply(atLeast.shards());
    }

    /** Sets the callback that receives the new map when the queue has more shards. */
    void onGrowth(Consumer<ShardMap<T>> callback) {
        this.onGrowth = callback;
    }

    /** Returns the current map. */
    ShardMap<T> current() {
        return shards;
    }

    /** Whether the number of shards has been read, so that calls are not deferred. */
    boolean isReady() {
        return calls.isOpen();
    }

    /** Makes a call once the number of shards is known; fails when the call rejects an argument. */
    <R> CompletableFuture<R> call(Function<ShardMap<T>, CompletableFuture<R>> call) {
        Optional<RuntimeException> closed = failures.closed();
        if (closed.isPresent()) {
            return CompletableFuture.failedFuture(closed.get());
        }
        if (!calls.isOpen()) {
            return calls.call(() -> apply(call), this::open);
        }
        long due = refreshAtNanos.get();
        // If the refresh fails, the current map stays in use.
        if (System.nanoTime() - due >= 0 && refreshAtNanos.compareAndSet(due, due + REFRESH_NANOS)) {
            refresh();
        }
        return apply(call);
    }

    private void open() {
        refresh().whenComplete((count, problem) -> {
            if (problem == null) {
                calls.open();
            } else {
                events.failed(unknownCount(problem));
                calls.fail(() -> unknownCount(problem));
            }
        });
    }

    private <R> CompletableFuture<R> apply(Function<ShardMap<T>, CompletableFuture<R>> call) {
        try {
            return call.apply(shards);
        } catch (RuntimeException e) {
            return CompletableFuture.failedFuture(e);
        }
    }

    private RuntimeException unknownCount(Throwable problem) {
        return failures.orClosed(new QueueException(
                "open",
                names.hash(),
                "the number of shards of " + queue + " could not be read, and nothing was sent: "
                        + QueueExceptions.of(problem).problem(),
                false,
                problem));
    }

    /** Reads the number of shards from Redis. */
    CompletableFuture<Integer> refresh() {
        refreshAtNanos.set(System.nanoTime() + REFRESH_NANOS);
        // Registers again what it has registered before, because Redis may have lost it.
        return registered.get() ? register() : names.registered(queue).thenCompose(this::updateOrRestore);
    }

    /**
     * Registers the queue after the first enqueue. It registers the queue again after each job that is the first of its shard, because
     * a loss of data that removed the earlier jobs also removed the registration.
     */
    void registerAfterEnqueue(List<Enqueued> jobs) {
        if (registered.compareAndSet(false, true) || JobIds.isFirst(jobs.get(0).id())) {
            register();
        }
    }

    /** Registers the queue before a claim if it was opened with more shards than are registered. */
    void registerBeforeClaim() {
        if (registeredCount < shards.count() && registered.compareAndSet(false, true)) {
            register();
        }
    }

    /**
     * Makes a call that enqueues jobs with tenants. If the queue is not known to have tenants, first registers that it has; other clients
     * that use the queue read this within ten seconds.
     */
    <R> CompletableFuture<R> withTenants(Supplier<CompletableFuture<R>> call) {
        return scripts.hasTenants() ? call.get() : register(true).thenCompose(count -> call.get());
    }

    private CompletableFuture<Integer> register() {
        return register(scripts.hasTenants());
    }

    private CompletableFuture<Integer> register(boolean tenants) {
        return names.register(new RegisteredName(queue, shards.count(), tenants))
                .thenApply(this::update)
                .whenComplete((count, problem) -> registered.set(problem == null));
    }

    /** Registers the queue again if the registry has lost that it has tenants; otherwise other processes would not find their jobs. */
    private CompletableFuture<Integer> updateOrRestore(RegisteredName name) {
        int count = update(name);
        return scripts.hasTenants() && !name.tenants() ? register() : CompletableFuture.completedFuture(count);
    }

    private int update(RegisteredName name) {
        int count = name.shards();
        growing.lock();
        try {
            if (name.tenants()) {
                scripts.useTenants();
            }
            registeredCount = count;
            if (count > shards.count()) {
                shards = opener.apply(count);
                onGrowth.accept(shards);
            }
            return shards.count();
        } finally {
            growing.unlock();
        }
    }
}
