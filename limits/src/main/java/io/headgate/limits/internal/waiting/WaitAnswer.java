package io.headgate.limits.internal.waiting;

import java.util.concurrent.CompletableFuture;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * The future that a caller receives for a waiting request. It completes on threads of its own, so that callbacks may block without
 * holding up other waiting requests. Completing or cancelling it ends the wait.
 */
public final class WaitAnswer<T> extends CompletableFuture<T> {

    /** The most callbacks that may block before others are late; callers that block on a thread of their own are never late. */
    static final int THREADS = 16;

    /** The most answers that wait for a thread; more are delivered by the thread that decides. As many as may wait for permits. */
    static final int MAX_QUEUED = 100_000;

    private static final ThreadPoolExecutor CALLBACKS = callbackThreads();

    private final TimedWait<T> wait;
    private final Consumer<T> release;

    /**
     * Creates the future of a wait.
     *
     * @param release takes a result that arrived after this was completed or cancelled
     */
    public WaitAnswer(TimedWait<T> wait, Consumer<T> release) {
        this.wait = wait;
        this.release = release;
        if (wait.isDone()) {
            // No callback is registered yet.
            wait.whenComplete(this::deliver);
        } else {
            wait.whenComplete((result, problem) -> {
                // Only this future cancels the wait, and is then completed by the caller that did.
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

    // The wait first, as callbacks of this run on the caller's thread and may block.

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
