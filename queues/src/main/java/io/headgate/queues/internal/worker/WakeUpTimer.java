package io.headgate.queues.internal.worker;

import java.util.concurrent.ScheduledFuture;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * A one-shot timer of a worker: it runs the worker's callback once, at the earliest of the times that were set since the last run. Not
 * safe for use by several threads: the worker's lock guards it.
 */
final class WakeUpTimer {

    private final Runnable callback;
    private final ScheduledThreadPoolExecutor executor =
            new ScheduledThreadPoolExecutor(1, task -> new Thread(task, "headgate-worker-timer"));

    private @Nullable ScheduledFuture<?> scheduled;
    private long atNanos;

    WakeUpTimer(Runnable callback) {
        this.callback = callback;
    }

    /** Starts the thread, which is no daemon thread: the process continues after its main method has returned. */
    void start() {
        executor.prestartCoreThread();
    }

    /** Runs the callback at that time at the latest. */
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

    /** The callback runs; the next {@link #setTo} schedules it again. */
    void fired() {
        scheduled = null;
    }

    void stop() {
        executor.shutdownNow();
    }
}
