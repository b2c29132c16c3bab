package io.headgate.limits.internal;

import java.util.Collections;
import java.util.List;
import java.util.Set;
import java.util.WeakHashMap;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Whether an engine is open. Every call on a closed engine fails with the same {@link IllegalStateException}, which names the
 * engine: a blocking call throws it, an asynchronous call returns a future that fails with it. Safe for use by any number of
 * threads.
 */
public final class EngineState {

    /** Waiting calls that end when the engine is closed. */
    public interface Waits {

        /**
         * Makes an attempt for the first request of each waiting line. On a closed engine the attempt fails, and so do those of the
         * requests after it.
         */
        void retryAll();

        /** The number of waiting requests. */
        int waiting();
    }

    private final Supplier<String> name;
    /** Guards the set of waiting calls; visible for tests. */
    public final ReentrantLock lock = new ReentrantLock();

    private final Set<Waits> waits = Collections.newSetFromMap(new WeakHashMap<>());
    private volatile boolean closed;

    /**
     * Creates the state of an open engine.
     *
     * @param name returns the name of the engine for the error, in the plural: {@code limits in memory}; called after the engine is
     *     closed
     */
    public EngineState(Supplier<String> name) {
        this.name = name;
    }

    /** Whether the engine is closed. */
    public boolean isClosed() {
        return closed;
    }

    /** Throws {@link #problem} if the engine is closed. */
    public void requireOpen() {
        if (closed) {
            throw problem(null);
        }
    }

    /** Returns the exception that calls on the closed engine throw. */
    public IllegalStateException problem(@Nullable Throwable cause) {
        return new IllegalStateException(name.get() + " are closed", cause);
    }

    /** Returns the failed future that asynchronous calls on the closed engine return. */
    public <T> CompletableFuture<T> failed() {
        return CompletableFuture.failedFuture(problem(null));
    }

    /**
     * Registers waiting calls, which end when the engine is closed. Call this before the first attempt: on a closed engine it has no
     * effect, but the attempt fails. Only a weak reference is kept.
     */
    public void endOnClose(Waits waiting) {
        lock.lock();
        try {
            waits.add(waiting);
        } finally {
            lock.unlock();
        }
    }

    /** The number of requests that wait for permits. */
    public int waiting() {
        lock.lock();
        try {
            return waits.stream().mapToInt(Waits::waiting).sum();
        } finally {
            lock.unlock();
        }
    }

    /** Closes the engine: calls fail from now on, and waiting calls end. A second call does nothing. */
    public void close() {
        close(() -> {});
    }

    /**
     * Closes the engine: calls fail from now on, and waiting calls end. A second call only runs {@code clear} again.
     *
     * @param clear removes the data that calls can find without a check of this state; runs before the waiting calls make their last
     *     attempt
     */
    public void close(Runnable clear) {
        List<Waits> all;
        closed = true;
        clear.run();
        lock.lock();
        try {
            all = List.copyOf(waits);
            waits.clear();
        } finally {
            lock.unlock();
        }
        all.forEach(Waits::retryAll);
    }
}
