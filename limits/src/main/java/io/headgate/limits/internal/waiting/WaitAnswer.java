package io.headgate.limits.internal.waiting;

import java.util.concurrent.CompletableFuture;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * The future that a caller receives for a waiting request. It completes on threads that serve only this purpose, so that blocking
 * callbacks do not delay other waiting requests. Completing or cancelling it ends the wait.
 */
public final class WaitAnswer<T> extends CompletableFuture<T> {

    /**
     * The number of threads. If callbacks block all of them, other futures complete late. Blocking callers of {@code acquire} do not
     * need these threads.
     */
    static final int THREADS = 16;

    /**
     * The most results that wait for a thread: the number of requests that may wait at one limiter. Further results are delivered by the
     * deciding thread.
     */
    static final int MAX_QUEUED = 100_000;

    private static final ThreadPoolExecutor CALLBACKS = callbackThreads();

    private final TimedWait<T> wait;
    private final Consumer<T> release;

    /**
     * Creates the future of a wait.
     *
     * @param release receives a result that arrives after this future was completed or cancelled
     */
    public WaitAnswer(TimedWait<T> wait, Consumer<T> release) {
        this.wait = wait;
        this.release = release;
        if (wait.isDone()) {
            // No callback is registered yet, so this thread can deliver the result.
            wait.whenComplete(this::deliver);
        } else {
            wait.whenComplete((result, problem) -> {
                // Only this future cancels the wait. The thread that called cancel or complete then completes this
                // future.
                if (!wait.isCancelled()) {
                    CALLBACKS.execute(() -> deliver(result, problem));
                }
            });
        }
    }

    private static ThreadPoolExecutor callbackThreads() {
        ThreadPoolExecutor threads = new ThreadPoolExecutor(
                THREADS,
                THREADS,
                10,
                TimeUnit.SECONDS,
                new LinkedBlockingQueue<>(MAX_QUEUED),
                task -> {
                    Thread thread = new Thread(task, "headgate-answers");
                    thread.setDaemon(true);
                    return thread;
                },
                new ThreadPoolExecutor.CallerRunsPolicy());
        threads.allowCoreThreadTimeOut(true);
        return threads;
    }

    private void deliver(@Nullable T result, @Nullable Throwable problem) {
        if (result != null) {
            if (!super.complete(result)) {
                release.accept(result);
            }
        } else if (problem != null) {
            super.completeExceptionally(problem);
        }
    }

    // Ends the wait first, because callbacks of this future run on the caller's thread and may block.

    @Override
    public boolean cancel(boolean mayInterruptIfRunning) {
        wait.cancel(mayInterruptIfRunning);
        return super.cancel(mayInterruptIfRunning);
    }

    @Override
    public boolean complete(T value) {
        wait.cancel(true);
        return super.complete(value);
    }

    @Override
    public boolean completeExceptionally(Throwable problem) {
        wait.cancel(true);
        return super.completeExceptionally(problem);
    }
}
