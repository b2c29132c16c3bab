package io.headgate.queues.internal;

import java.util.concurrent.ScheduledFuture;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/** Wakes its owner once, at the soonest of the times that it was set to since it did so last. Guarded by the owner's lock. */
final class Alarm {

    private final Runnable wake;
    private final ScheduledThreadPoolExecutor timer =
            new ScheduledThreadPoolExecutor(1, task -> new Thread(task, "headgate-worker-timer"));

    private @Nullable ScheduledFuture<?> set;
    private long atNanos;

    Alarm(Runnable wake) {
        this.wake = wake;
    }

    /** Has its thread there from the start, which is no daemon: a process whose main method has ended goes on. */
    void begin() {
        timer.prestartCoreThread();
    }

    /** It wakes then at the latest. */
    void setTo(long nanos, long nowNanos) {
        if (set != null && nanos - atNanos >= 0) {
            return;
        }
        if (set != null) {
            set.cancel(false);
        }
        atNanos = nanos;
        set = timer.isShutdown() ? null : timer.schedule(wake, Math.max(0, nanos - nowNanos), TimeUnit.NANOSECONDS);
    }

    /** It has woken its owner. */
    void rang() {
        set = null;
    }

    void end() {
        timer.shutdownNow();
    }
}
