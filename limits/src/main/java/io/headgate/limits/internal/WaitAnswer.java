package io.headgate.limits.internal;

import java.util.concurrent.CompletableFuture;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * What one who waits has in hand: it is told the end of the wait on threads that do nothing else, so that what users
 * chain to it may block without holding up those who wait; and to end it ends the wait.
 */
final class WaitAnswer<T> extends CompletableFuture<T> {

    /** How many users may block before others are told late; those who wait on a thread of their own never are. */
    static final int THREADS = 16;

    /** The most answers that wait for a thread; more are delivered by the thread that decides. As many as may wait for permits. */
    static final int MAX_QUEUED = 100_000;

    private static final ThreadPoolExecutor TELLERS = tellers();

    private final TimedWait<T> wait;
    private final Consumer<T> giveBack;

    /**
     * The answer to a wait.
     *
     * @param giveBack takes what was admitted too late, when it was no longer wanted
     */
    WaitAnswer(TimedWait<T> wait, Consumer<T> giveBack) {
        this.wait = wait;
        this.giveBack = giveBack;
        if (wait.isDone()) {
            // Nobody has chained anything yet.
            wait.whenComplete(this::tell);
        } else {
            wait.whenComplete((result, problem) -> {
                // Only this cancels it, and is then ended by whoever did so.
                if (!wait.isCancelled()) {
                    TELLERS.execute(() -> tell(result, problem));
                }
            });
        }
    }

    private static ThreadPoolExecutor tellers() {
        ThreadPoolExecutor tellers = new ThreadPoolExecutor(
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
        tellers.allowCoreThreadTimeOut(true);
        return tellers;
    }

    private void tell(@Nullable T result, @Nullable Throwable problem) {
        if (result != null) {
            if (!super.complete(result)) {
                giveBack.accept(result);
            }
        } else if (problem != null) {
            super.completeExceptionally(problem);
        }
    }

    // First the wait, as what is chained to this runs on the caller's thread and may block.

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
