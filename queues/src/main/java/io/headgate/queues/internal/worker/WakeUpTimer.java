package io.headgate.queues.internal.worker;

import java.util.concurrent.ScheduledFuture;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * A one-shot timer: it runs the callback of a worker once, at the earliest of the times that were set since the last run. Not safe for
 * use by several threads: the worker's lock guards it.
 */
final class WakeUpTimer {

    private final Runnable callback;
    private final ScheduledThreadPoolExecutor executor = new ScheduledThreadPoolExecutor(1, WakeUpTimer::thread);

    private @Nullable ScheduledFuture<?> scheduled;
    private long atNanos;

    WakeUpTimer(Runnable callback) {
        this.callback = callback;
    }

    private static Thread thread(Runnable task) {
        Thread thread = new Thread(task, "headgate-worker-timer");
        // A thread that a daemon thread creates is otherwise a daemon thread, too.
        thread.setDaemon(false);
        return thread;
    }

    /** Starts the thread. It is not a daemon thread, so the process continues after its main method has returned. */
    void start() {
        executor.prestartCoreThread();
    }

    /** Schedules the callback for a time, unless it is already scheduled for an earlier one. */
    void setTo(long nanos, long nowNanos) {
        if (scheduled != null && nanos - atNanos >= 0) {
            return;
        }
        if (scheduled != null) {
            scheduled.cancel(false);
        }
        atNanos = nanos;
        scheduled = executor.isShutdown()
                ? null
                : executor.schedule(callback, Math.max(0, nanos - nowNanos), TimeUnit.NANOSECONDS);
    }

    /** Must be called when the callback runs, so that {@link #setTo} schedules it again. */
    void fired() {
        scheduled = null;
    }

    void stop() {
        executor.shutdownNow();
    }
}
