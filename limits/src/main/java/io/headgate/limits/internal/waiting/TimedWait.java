package io.headgate.limits.internal.waiting;

import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Future;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/** The future of a request that waits until a deadline, and its scheduled tasks. Safe for use by several threads. */
public class TimedWait<T> extends CompletableFuture<T> {

    /**
     * The timer of all waiting requests, and of the leases of holds in memory. Its tasks must not block: they send attempts, end waits, and
     * renew or end holds, which calls listeners.
     */
    public static final ScheduledThreadPoolExecutor TIMER = timer();

    private final long deadlineNanos;

    /** Whether an attempt is in flight; guarded by this. */
    private boolean attempting;

    /** The task of {@link #runLater}; guarded by this. */
    private @Nullable Future<?> next;

    /** The task of {@link #runAtDeadline}; guarded by this. */
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

    /** Marks the start of an attempt. Returns false if the wait is over; then no attempt must be sent. */
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

    /** Schedules a task, which replaces the one that was scheduled before; it does not run if the wait is over by then. */
    public synchronized void runLater(Runnable task, long nanos) {
        cancel(next);
        next = schedule(task, nanos);
    }

    /** Schedules a further task for the deadline; it does not run if the wait is over by then. */
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
