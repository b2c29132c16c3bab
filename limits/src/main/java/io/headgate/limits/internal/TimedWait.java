package io.headgate.limits.internal;

import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Future;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/** One who waits for something until a deadline. */
class TimedWait<T> extends CompletableFuture<T> {

    /** Runs nothing that takes long: it asks, and ends waits. */
    static final ScheduledThreadPoolExecutor TIMER = timer();

    private final long deadlineNanos;

    /** Guarded by this. */
    private boolean asking;

    /** What it will do next; guarded by this. */
    private @Nullable Future<?> next;

    /** What it will do at its deadline; guarded by this. */
    private @Nullable Future<?> last;

    TimedWait(long deadlineNanos) {
        this.deadlineNanos = deadlineNanos;
        whenComplete((result, problem) -> doNothingMore());
    }

    private static ScheduledThreadPoolExecutor timer() {
        ScheduledThreadPoolExecutor timer = new ScheduledThreadPoolExecutor(1, task -> {
            Thread thread = new Thread(task, "headgate-waiting");
            thread.setDaemon(true);
            return thread;
        });
        timer.setRemoveOnCancelPolicy(true);
        return timer;
    }

    /** How long is left; below 0 when the deadline has passed. */
    long nanosLeft() {
        return deadlineNanos - System.nanoTime();
    }

    /** False when it is over, and then nothing must be asked. */
    synchronized boolean beginAsking() {
        asking = !isDone();
        return asking;
    }

    synchronized void endAsking() {
        asking = false;
    }

    /** Whether an answer is still to come, which may have charged something. */
    synchronized boolean isAsking() {
        return asking;
    }

    /** Does this after a while, instead of what it was to do, unless it is over by then. */
    synchronized void doLater(Runnable what, long nanos) {
        cancel(next);
        next = schedule(what, nanos);
    }

    /** Does this at its deadline, besides what it is to do before, unless it is over by then. */
    synchronized void doAtDeadline(Runnable what) {
        cancel(last);
        last = schedule(what, nanosLeft());
    }

    private synchronized void doNothingMore() {
        cancel(next);
        cancel(last);
    }

    private @Nullable Future<?> schedule(Runnable what, long nanos) {
        return isDone() ? null : TIMER.schedule(what, Math.max(0, nanos), TimeUnit.NANOSECONDS);
    }

    private static void cancel(@Nullable Future<?> task) {
        if (task != null) {
            task.cancel(false);
        }
    }
}
