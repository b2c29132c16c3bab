package io.headgate.redis.queues.internal.shards;

import io.headgate.queues.QueueException;
import io.headgate.redis.internal.script.QueuedCall;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * A gate that defers calls until a precondition is met, and then stays open. When it opens, the deferred calls are made in the order of
 * their arrival, and no later call overtakes them. If the precondition fails, they all fail. Safe for use by several threads.
 */
final class DeferredCalls {

    private static final int MAX_DEFERRED = 10_000;

    private final ReentrantLock lock = new ReentrantLock();

    /** The deferred calls, and the one that is being made, so that no later call overtakes it. Guarded by the lock. */
    private final Deque<DeferredCall<?>> deferred = new ArrayDeque<>();

    private volatile boolean open;

    /** Whether calls are made immediately. */
    boolean isOpen() {
        return open;
    }

    /**
     * Makes a call, or defers it.
     *
     * @param call makes the call; it throws nothing
     * @param opener runs when this is the first deferred call; it ends with {@link #open} or {@link #fail}
     */
    <R> CompletableFuture<R> call(Supplier<CompletableFuture<R>> call, Runnable opener) {
        DeferredCall<R> waiting = new DeferredCall<>(call);
        return !open && defer(waiting, opener) ? waiting : call.get();
    }

    /** Defers a call; returns false when the gate has opened meanwhile. */
    private boolean defer(DeferredCall<?> call, Runnable opener) {
        boolean isFirst;
        lock.lock();
        try {
            if (open) {
                // The gate has just opened: a call that is deferred now would be overtaken by later calls.
                return false;
            }
            isFirst = deferred.isEmpty();
            if (deferred.size() < MAX_DEFERRED) {
                deferred.add(call);
            } else {
                call.completeExceptionally(new QueueException(
                        "open",
                        "queue",
                        "too many calls wait for the number of shards: " + MAX_DEFERRED + "; nothing was sent",
                        false,
                        null));
            }
        } finally {
            lock.unlock();
        }
        if (isFirst) {
            opener.run();
        }
        return true;
    }

    /** A deferred call, and the future of its caller. */
    private static final class DeferredCall<R> extends QueuedCall<R> {

        private final Supplier<CompletableFuture<R>> call;
        private final AtomicBoolean ended = new AtomicBoolean();
        private volatile @Nullable CompletableFuture<R> sent;

        DeferredCall(Supplier<CompletableFuture<R>> call) {
            this.call = call;
        }

        void make() {
            if (ended.compareAndSet(false, true)) {
                CompletableFuture<R> reply = call.get();
                sent = reply;
                reply.whenComplete(this::end);
            }
        }

        void fail(Supplier<? extends RuntimeException> problem) {
            if (ended.compareAndSet(false, true)) {
                completeExceptionally(problem.get());
            }
        }

        private void end(R reply, @Nullable Throwable failure) {
            if (failure == null) {
                complete(reply);
            } else {
                completeExceptionally(failure);
            }
        }

        @Override
        public boolean cancelUnsent() {
            if (ended.compareAndSet(false, true)) {
                completeExceptionally(new QueueException(
                        "open",
                        "queue",
                        "the call was cancelled or timed out before it was sent; nothing was sent",
                        false,
                        null));
                return true;
            }
            return QueuedCall.cancelUnsent(sent);
        }
    }

    /** Makes the deferred calls one after the other, then opens; a call that arrives meanwhile is deferred after them. */
    void open() {
        for (DeferredCall<?> next = after(null); next != null; next = after(next)) {
            next.make();
        }
    }

    private @Nullable DeferredCall<?> after(@Nullable DeferredCall<?> made) {
        lock.lock();
        try {
            if (made != null) {
                deferred.remove(made);
            }
            open |= deferred.isEmpty();
            return deferred.peek();
        } finally {
            lock.unlock();
        }
    }

    /**
     * Fails the deferred calls. Each gets a separate exception, because its caller may add a stack trace. Later calls are deferred again.
     */
    void fail(Supplier<? extends RuntimeException> problem) {
        List<DeferredCall<?>> failing;
        lock.lock();
        try {
            failing = List.copyOf(deferred);
            deferred.clear();
        } finally {
            lock.unlock();
        }
        failing.forEach(one -> one.fail(problem));
    }
}
