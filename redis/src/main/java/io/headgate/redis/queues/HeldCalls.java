package io.headgate.redis.queues;

import io.headgate.queues.QueueException;
import io.headgate.redis.internal.Withdrawable;
import io.headgate.redis.internal.WithdrawableFuture;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** Calls that can't be made before something is known. They are made when it is, in the order in which they came, or fail. */
final class HeldCalls {

    private static final int MAX_HELD = 10_000;

    private final ReentrantLock lock = new ReentrantLock();

    /** Guarded by the lock. One that is just being made is among them, lest one that comes meanwhile overtakes it. */
    private final Deque<Held<?>> held = new ArrayDeque<>();

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
        Held<R> waiting = new Held<>(call);
        return !open && hold(waiting, first) ? waiting : call.get();
    }

    /** Has a call wait; false when none has to any more. */
    private boolean hold(Held<?> call, Runnable first) {
        boolean isFirst;
        lock.lock();
        try {
            if (open) {
                // Since it came: to wait for what lets it go on would have those pass that come later.
                return false;
            }
            isFirst = held.isEmpty();
            if (held.size() < MAX_HELD) {
                held.add(call);
            } else {
                call.completeExceptionally(
                        new QueueException("open", "queue", MAX_HELD + " calls wait already", false, null));
            }
        } finally {
            lock.unlock();
        }
        if (isFirst) {
            first.run();
        }
        return true;
    }

    /** A call that waits, and who waits for its answer. */
    private static final class Held<R> extends WithdrawableFuture<R> {

        private final Supplier<CompletableFuture<R>> call;
        private final AtomicBoolean ended = new AtomicBoolean();
        private volatile @Nullable CompletableFuture<R> made;

        Held(Supplier<CompletableFuture<R>> call) {
            this.call = call;
        }

        void make() {
            if (ended.compareAndSet(false, true)) {
                CompletableFuture<R> answer = call.get();
                made = answer;
                answer.whenComplete(this::end);
            }
        }

        void fail(Supplier<? extends RuntimeException> problem) {
            if (ended.compareAndSet(false, true)) {
                completeExceptionally(problem.get());
            }
        }

        private void end(R answered, @Nullable Throwable failure) {
            if (failure == null) {
                complete(answered);
            } else {
                completeExceptionally(failure);
            }
        }

        @Override
        public boolean withdraw() {
            if (ended.compareAndSet(false, true)) {
                completeExceptionally(new QueueException(
                        "open", "queue", "nobody waits for it any more; nothing was sent", false, null));
                return true;
            }
            return made instanceof Withdrawable waiting && waiting.withdraw();
        }
    }

    /** Makes what waits, one after the other; whoever comes meanwhile waits behind. */
    void goOn() {
        for (Held<?> next = after(null); next != null; next = after(next)) {
            next.make();
        }
    }

    private @Nullable Held<?> after(@Nullable Held<?> made) {
        lock.lock();
        try {
            if (made != null) {
                held.remove(made);
            }
            open |= held.isEmpty();
            return held.peek();
        } finally {
            lock.unlock();
        }
    }

    /** Fails what waits, each with a problem of its own, to which its caller may add; whoever comes later waits anew. */
    void fail(Supplier<? extends RuntimeException> problem) {
        List<Held<?>> all;
        lock.lock();
        try {
            all = List.copyOf(held);
            held.clear();
        } finally {
            lock.unlock();
        }
        all.forEach(one -> one.fail(problem));
    }
}
