package io.headgate.queues.internal;

import java.lang.reflect.InvocationTargetException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.atomic.AtomicInteger;

/** The threads of handlers: virtual threads if the JVM has them, otherwise a pool. */
final class HandlerThreads {

    private HandlerThreads() {}

    /** Returns threads for that number of concurrent handlers. */
    static ExecutorService open(int concurrency) {
        try {
            // Java 21 and later; the code is compiled for Java 17.
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
