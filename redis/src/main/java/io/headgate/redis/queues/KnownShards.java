package io.headgate.redis.queues;

import io.headgate.queues.Enqueued;
import io.headgate.queues.QueueException;
import io.headgate.queues.internal.QueueEvents;
import io.headgate.queues.internal.QueueExceptions;
import io.headgate.redis.internal.EngineFailures;
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

/**
 * The shards of a queue: as many as are noted beside its name, and at least as many as it was opened with. That is asked before
 * the first call, and again beside a call every ten seconds, so that all who use the queue go by the same number soon. There
 * are never fewer than there were.
 */
final class KnownShards<T> {

    private static final long AGAIN_NANOS = TimeUnit.SECONDS.toNanos(10);

    private final String queue;
    private final RedisNames names;
    private final EngineFailures failures;
    private final IntFunction<Shards<T>> opening;
    private final QueueEvents events;
    private final HeldCalls calls = new HeldCalls();
    private final AtomicLong again = new AtomicLong();
    private final AtomicBoolean noted = new AtomicBoolean();
    private final ReentrantLock growing = new ReentrantLock();
    private volatile Consumer<Shards<T>> onMore = more -> {};
    private volatile Shards<T> shards;
    private volatile int lastNoted = 1;

    /**
     * At least so many.
     *
     * @param failures which fail every call when the engine is closed
     * @param opening makes them
     */
    KnownShards(
            NotedName atLeast,
            RedisNames names,
            EngineFailures failures,
            IntFunction<Shards<T>> opening,
            QueueEvents events) {
        this.queue = atLeast.name();
        this.names = names;
        this.failures = failures;
        this.opening = opening;
        this.events = events;
        this.shards = opening.apply(atLeast.shards());
    }

    /** Has somebody hear of all when there are more. */
    void onMore(Consumer<Shards<T>> hears) {
        this.onMore = hears;
    }

    /** All that are known by now. */
    Shards<T> now() {
        return shards;
    }

    /** Whether calls need not wait. */
    boolean areKnown() {
        return calls.isOpen();
    }

    /** Makes a call when it is known how many there are; it fails when they refuse an argument. */
    <R> CompletableFuture<R> call(Function<Shards<T>, CompletableFuture<R>> call) {
        Optional<RuntimeException> closed = failures.closed();
        if (closed.isPresent()) {
            return CompletableFuture.failedFuture(closed.get());
        }
        if (!calls.isOpen()) {
            return calls.make(() -> made(call), this::open);
        }
        long due = again.get();
        // When that fails, what is known is as good as before.
        if (System.nanoTime() - due >= 0 && again.compareAndSet(due, due + AGAIN_NANOS)) {
            ask();
        }
        return made(call);
    }

    private void open() {
        ask().whenComplete((count, problem) -> {
            if (problem == null) {
                calls.goOn();
            } else {
                events.failed(unknown(problem));
                calls.fail(() -> unknown(problem));
            }
        });
    }

    private <R> CompletableFuture<R> made(Function<Shards<T>, CompletableFuture<R>> call) {
        try {
            return call.apply(shards);
        } catch (RuntimeException e) {
            return CompletableFuture.failedFuture(e);
        }
    }

    private RuntimeException unknown(Throwable problem) {
        return failures.orClosed(new QueueException(
                "open",
                names.hash(),
                "how many shards " + queue + " has could not be asked, and nothing else was: "
                        + QueueExceptions.of(problem).problem(),
                false,
                problem));
    }

    /** Asks how many there are. */
    CompletableFuture<Integer> ask() {
        again.set(System.nanoTime() + AGAIN_NANOS);
        return noted.get() ? note() : names.shards(queue).thenApply(this::learn);
    }

    /**
     * Notes the queue when somebody has enqueued first. The first job that a shard ever had is a reason, too: if all before
     * was lost, so may be the note.
     */
    void enqueued(List<Enqueued> jobs) {
        if (noted.compareAndSet(false, true) || JobIds.isFirst(jobs.get(0).id())) {
            note();
        }
    }

    /** Notes the queue when somebody claims, and it is to have more shards than it had. */
    void claimed() {
        if (lastNoted < shards.count() && noted.compareAndSet(false, true)) {
            note();
        }
    }

    private CompletableFuture<Integer> note() {
        return names.note(new NotedName(queue, shards.count())).whenComplete((count, problem) -> {
            if (problem == null) {
                learn(count);
            } else {
                noted.set(false);
            }
        });
    }

    private int learn(int count) {
        growing.lock();
        try {
            lastNoted = count;
            if (count > shards.count()) {
                shards = opening.apply(count);
                onMore.accept(shards);
            }
            return shards.count();
        } finally {
            growing.unlock();
        }
    }
}
