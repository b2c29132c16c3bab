package io.headgate.limits.internal.waiting;

import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Future;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/** A waiting request with a deadline. Safe for use by several threads. */
public class TimedWait<T> extends CompletableFuture<T> {

    /** Runs short tasks only: it sends attempts, and ends waits. */
    public static final ScheduledThreadPoolExecutor TIMER = timer();

    private final long deadlineNanos;

    /** Guarded by this. */
    private boolean attempting;

    /** The next task; guarded by this. */
    private @Nullable Future<?> next;

    /** The task at the deadline; guarded by this. */
    private @Nullable Future<?> last;

    public TimedWait(long deadlineNanos) {
        this.deadlineNanos = deadlineNanos;
        whenComplete((result, problem) -> cancelTasks());
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

    /** The time until the deadline; negative when it has passed. */
    public long nanosLeft() {
        return deadlineNanos - System.nanoTime();
    }

    /** Begins an attempt; false when the wait is over, and then none must be sent. */
    public synchronized boolean beginAttempt() {
        attempting = !isDone();
        return attempting;
    }

    public synchronized void endAttempt() {
        attempting = false;
    }

    /** Whether an attempt is in flight, which may charge permits. */
    public synchronized boolean isAttempting() {
        return attempting;
    }

    /** Runs a task after a delay, instead of the one before, unless the wait is over by then. */
    public synchronized void runLater(Runnable task, long nanos) {
        cancel(next);
        next = schedule(task, nanos);
    }

    /** Runs a task at the deadline, besides the next one, unless the wait is over by then. */
    public synchronized void runAtDeadline(Runnable task) {
        cancel(last);
        last = schedule(task, nanosLeft());
    }

    private synchronized void cancelTasks() {
        cancel(next);
        cancel(last);
    }

    private @Nullable Future<?> schedule(Runnable task, long nanos) {
        return isDone() ? null : TIMER.schedule(task, Math.max(0, nanos), TimeUnit.NANOSECONDS);
    }

    private static void cancel(@Nullable Future<?> task) {
        if (task != null) {
            task.cancel(false);
        }
    }
}
