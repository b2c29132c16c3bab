package io.headgate.spring.queues.internal.batch;

import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * Collects elements into batches, in the order of their arrival, and handles a bounded number of batches at the same time. A batch starts
 * when it is full, or when its first element has waited long enough. While no further batch may start, elements wait for one that ends.
 * Safe for use by several threads.
 *
 * @param <E> the type of the elements
 */
public final class Batches<E> {

    private final int size;
    private final int concurrency;
    private final long waitNanos;
    private final Function<List<E>, CompletionStage<?>> handler;
    private final ExecutorService threads;

    private final ReentrantLock lock = new ReentrantLock();

    // Guarded by the lock.
    private final Deque<Waiting<E>> waiting = new ArrayDeque<>();
    private int running;
    private boolean closed;

    private record Waiting<E>(E element, long sinceNanos) {}

    /**
     * Creates a collector without elements.
     *
     * @param name the prefix of the names of threads
     * @param size the most elements of a batch
     * @param concurrency the most batches that are handled at the same time
     * @param wait the longest time that an element waits for further ones
     * @param handler handles a batch on a thread that it may block; its stage completes when the batch is handled, and does not fail
     */
    public Batches(
            String name, int size, int concurrency, Duration wait, Function<List<E>, CompletionStage<?>> handler) {
        this.size = size;
        this.concurrency = concurrency;
        this.waitNanos = wait.toNanos();
        this.handler = handler;
        AtomicInteger number = new AtomicInteger();
        this.threads = Executors.newCachedThreadPool(task -> {
            Thread thread = new Thread(task, name + "-" + number.incrementAndGet());
            thread.setDaemon(true);
            return thread;
        });
    }

    /** Adds an element. Returns false if this is closed. */
    public boolean add(E element) {
        lock.lock();
        try {
            if (closed) {
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

    private void wakeUpIn(long nanos) {
        if (nanos > 0) {
            CompletableFuture.delayedExecutor(nanos, TimeUnit.NANOSECONDS).execute(this::startDue);
        }
    }

    private void startDue() {
        List<E> batch = nextDue();
        while (batch != null) {
            start(batch);
            batch = nextDue();
        }
    }

    /** Takes a batch that may start now; null if there is none. */
    private @Nullable List<E> nextDue() {
        lock.lock();
        try {
            Waiting<E> first = waiting.peek();
            if (first == null || running >= concurrency) {
                return null;
            }
            if (waiting.size() < size && System.nanoTime() - first.sinceNanos() < waitNanos) {
                return null;
            }
            List<E> batch = new ArrayList<>();
            while (batch.size() < size && !waiting.isEmpty()) {
                batch.add(waiting.remove().element());
            }
            running++;
            Waiting<E> next = waiting.peek();
            if (next != null) {
                wakeUpIn(next.sinceNanos() + waitNanos - System.nanoTime());
            }
            return batch;
        } finally {
            lock.unlock();
        }
    }

    private void start(List<E> batch) {
        threads.execute(() -> handler.apply(batch).whenComplete((done, failure) -> {
            lock.lock();
            try {
                running--;
            } finally {
                lock.unlock();
            }
            startDue();
        }));
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
