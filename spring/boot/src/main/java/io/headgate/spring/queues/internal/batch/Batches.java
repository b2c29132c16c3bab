package io.headgate.spring.queues.internal.batch;

import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/**
 * Collects elements into batches, in the order of their arrival, and handles a bounded number of batches at the same time. A batch starts
 * when it is full, or when its first element has waited long enough. Only elements wait for which a batch may start. Safe for use by
 * several threads.
 *
 * @param <E> the type of the elements
 */
public final class Batches<E> {

    private final int size;
    private final int concurrency;
    private final long waitNanos;
    private final Handler<E> handler;
    private final ExecutorService threads;

    private final ReentrantLock lock = new ReentrantLock();

    // Guarded by the lock.
    private final Deque<Waiting<E>> waiting = new ArrayDeque<>();
    private int running;
    private boolean closed;

    private record Waiting<E>(E element, long sinceNanos) {}

    /**
     * Handles batches.
     *
     * @param <E> the type of the elements
     */
    public interface Handler<E> {

        /** Handles a batch on a thread that it may block; the stage completes when the batch is handled. */
        CompletionStage<?> handle(List<E> batch);

        /** Receives a batch that is not handled, because no thread can be started. Must not block. */
        void rejected(List<E> batch, Throwable failure);

        /** Fewer batches are handled than before, and so {@link Batches#room} may have grown. Must not block. */
        void ended();

        /** Whether an element that waits has expired, and must not be handled. Must not block. */
        boolean isExpired(E element);

        /** Receives an element that has expired before it was handled. Must not block. */
        void expired(E element);
    }

    /**
     * Creates a collector without elements.
     *
     * @param size the most elements of a batch
     * @param concurrency the most batches that are handled at the same time
     * @param wait the longest time that an element waits for further ones
     * @param handler handles the batches
     * @param threads the threads of the handler, which this owns
     */
    public Batches(int size, int concurrency, Duration wait, Handler<E> handler, ExecutorService threads) {
        this.size = size;
        this.concurrency = concurrency;
        this.waitNanos = wait.toNanos();
        this.handler = handler;
        this.threads = threads;
    }

    /** Adds an element. Returns false if there is no {@link #room} for it, as when a batch has started since it was requested. */
    public boolean add(E element) {
        lock.lock();
        try {
            if (room() == 0) {
                return false;
            }
            waiting.add(new Waiting<>(element, System.nanoTime()));
            if (waiting.size() == 1) {
                wakeUpIn(waitNanos);
            }
        } finally {
            lock.unlock();
        }
        startDue();
        return true;
    }

    /** Returns how many more elements fit into the batches that may start now; none after {@link #close}. */
    public int room() {
        lock.lock();
        try {
            return closed ? 0 : (concurrency - running) * size - waiting.size();
        } finally {
            lock.unlock();
        }
    }

    private void wakeUpIn(long nanos) {
        if (nanos > 0) {
            // On the timer's thread, as this does not block.
            CompletableFuture.delayedExecutor(nanos, TimeUnit.NANOSECONDS, Runnable::run)
                    .execute(this::startDue);
        }
    }

    /** A batch that may start now, and the elements before it that have expired. */
    private record Due<E>(List<E> batch, List<E> expired) {}

    private void startDue() {
        Due<E> due = nextDue();
        while (due != null) {
            if (!due.batch().isEmpty()) {
                start(due.batch());
            }
            due.expired().forEach(handler::expired);
            due = nextDue();
        }
    }

    /** Takes a batch that may start now; null if there is none. */
    private @Nullable Due<E> nextDue() {
        lock.lock();
        try {
            Waiting<E> first = waiting.peek();
            if (first == null) {
                return null;
            }
            if (waiting.size() < size && System.nanoTime() - first.sinceNanos() < waitNanos) {
                return null;
            }
            Due<E> due = new Due<>(new ArrayList<>(), new ArrayList<>());
            while (due.batch().size() < size && !waiting.isEmpty()) {
                E element = waiting.remove().element();
                (handler.isExpired(element) ? due.expired() : due.batch()).add(element);
            }
            if (!due.batch().isEmpty()) {
                running++;
            }
            wakeUpForFirst();
            return due;
        } finally {
            lock.unlock();
        }
    }

    private void wakeUpForFirst() {
        Waiting<E> first = waiting.peek();
        if (first != null) {
            wakeUpIn(first.sinceNanos() + waitNanos - System.nanoTime());
        }
    }

    /** Starts a batch. Every exception and error ends it; otherwise it would count as running until the process ends. */
    private void start(List<E> batch) {
        try {
            threads.execute(() -> handle(batch).whenComplete((done, failure) -> {
                ended();
                handler.ended();
            }));
        } catch (Throwable e) {
            ended();
            handler.rejected(batch, e);
            handler.ended();
        }
    }

    private CompletionStage<?> handle(List<E> batch) {
        try {
            return handler.handle(batch);
        } catch (Throwable e) {
            return CompletableFuture.failedFuture(e);
        }
    }

    private void ended() {
        lock.lock();
        try {
            running--;
        } finally {
            lock.unlock();
        }
    }

    /** Removes the elements that have expired while they waited. */
    public void removeExpired() {
        List<E> expired = new ArrayList<>();
        lock.lock();
        try {
            waiting.removeIf(one -> handler.isExpired(one.element()) && expired.add(one.element()));
            wakeUpForFirst();
        } finally {
            lock.unlock();
        }
        expired.forEach(handler::expired);
        startDue();
    }

    /** Starts no more batches. Returns the elements of those that are not started. */
    public List<E> close() {
        lock.lock();
        try {
            closed = true;
            List<E> rest = waiting.stream().map(Waiting::element).toList();
            waiting.clear();
            return rest;
        } finally {
            lock.unlock();
        }
    }

    /** Interrupts the threads of batches that are still handled. Call it after {@link #close}. */
    public void interrupt() {
        threads.shutdownNow();
    }
}
