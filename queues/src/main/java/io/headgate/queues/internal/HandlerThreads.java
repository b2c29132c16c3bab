package io.headgate.queues.internal;

import java.lang.reflect.InvocationTargetException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.atomic.AtomicInteger;

/** Threads for handlers: virtual ones where the JVM has them, else a pool. */
final class HandlerThreads {

    private HandlerThreads() {}

    /** Threads for so many handlers at once. */
    static ExecutorService open(int concurrency) {
        try {
            // Java 21 and later; this is compiled for 17.
            return (ExecutorService)
                    Executors.class.getMethod("newVirtualThreadPerTaskExecutor").invoke(null);
        } catch (NoSuchMethodException | IllegalAccessException e) {
            return pool(concurrency);
        } catch (InvocationTargetException e) {
            throw new IllegalStateException("virtual threads can't be had", e);
        }
    }

    private static ExecutorService pool(int threads) {
        AtomicInteger number = new AtomicInteger();
        return Executors.newFixedThreadPool(threads, task -> {
            Thread thread = new Thread(task, "headgate-worker-" + number.incrementAndGet());
            thread.setDaemon(true);
            return thread;
        });
    }
}
