package io.headgate.redis.queues;

import io.headgate.queues.QueueException;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Consumer;
import java.util.function.Supplier;

/** Calls that can't be made before something is known. They are made when it is, in the order in which they came, or fail. */
final class HeldCalls {

    private static final int MAX_HELD = 10_000;

    private final ReentrantLock lock = new ReentrantLock();

    /** Guarded by the lock. */
    private final Deque<Consumer<Optional<QueueException>>> held = new ArrayDeque<>();

    private volatile boolean open;

    /** Whether calls are made at once. */
    boolean isOpen() {
        return open;
    }

    /**
     * Makes a call when it can be.
     *
     * @param call what is asked; it throws nothing
     * @param first is run when no other waits: what lets go on all
     */
    <R> CompletableFuture<R> make(Supplier<CompletableFuture<R>> call, Runnable first) {
        if (open) {
            return call.get();
        }
        CompletableFuture<R> answer = new CompletableFuture<>();
        boolean isFirst;
        lock.lock();
        try {
            isFirst = held.isEmpty();
            if (held.size() < MAX_HELD) {
                held.add(problem -> problem.map(CompletableFuture::<R>failedFuture)
                        .orElseGet(call)
                        .whenComplete((answered, failure) -> end(answer, answered, failure)));
            } else {
                answer.completeExceptionally(
                        new QueueException("open", "queue", MAX_HELD + " calls wait already", false, null));
            }
        } finally {
            lock.unlock();
        }
        if (isFirst) {
            first.run();
        }
        return answer;
    }

    private static <R> void end(CompletableFuture<R> answer, R answered, Throwable failure) {
        if (failure == null) {
            answer.complete(answered);
        } else {
            answer.completeExceptionally(failure);
        }
    }

    /** Makes what waits, one after the other; whoever comes meanwhile waits behind. */
    void goOn() {
        for (Optional<Consumer<Optional<QueueException>>> next = next(); next.isPresent(); next = next()) {
            next.get().accept(Optional.empty());
        }
    }

    private Optional<Consumer<Optional<QueueException>>> next() {
        lock.lock();
        try {
            open |= held.isEmpty();
            return Optional.ofNullable(held.poll());
        } finally {
            lock.unlock();
        }
    }

    /** Fails what waits, each with a problem of its own, to which its caller may add; whoever comes later waits anew. */
    void fail(Supplier<QueueException> problem) {
        List<Consumer<Optional<QueueException>>> all;
        lock.lock();
        try {
            all = List.copyOf(held);
            held.clear();
        } finally {
            lock.unlock();
        }
        all.forEach(one -> one.accept(Optional.of(problem.get())));
    }
}
