package io.headgate.redis.internal.connection;

import io.netty.util.concurrent.EventExecutor;
import io.netty.util.concurrent.EventExecutorGroup;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.BooleanSupplier;

/**
 * Checks periodically for overdue calls while there are any. One periodic check for all calls with the same timeout
 * costs less than one timer for each call.
 */
public final class Sweeper {

    private static final System.Logger LOG = System.getLogger(Sweeper.class.getName());

    private static final long MAX_NANOS = TimeUnit.MILLISECONDS.toNanos(10);
    private static final long MIN_NANOS = TimeUnit.MILLISECONDS.toNanos(1);

    /**
     * A call completes a fiftieth of its budget early, because its caller may be on a thread that must first be woken.
     */
    private static final int WAKE_UP_PARTS = 50;

    private final long everyNanos;
    private final EventExecutorGroup executors;
    private final EventExecutor executor;
    private final Runnable sweep;
    private final BooleanSupplier isNeeded;
    private final AtomicBoolean sweeping = new AtomicBoolean();

    /**
     * Creates a sweeper that does not run yet.
     *
     * @param every the interval between two sweeps
     * @param sweep runs one sweep
     * @param isNeeded whether there is anything left to check
     */
    public Sweeper(Duration every, EventExecutorGroup executors, Runnable sweep, BooleanSupplier isNeeded) {
        this.everyNanos = every.toNanos();
        this.executors = executors;
        this.executor = executors.next();
        this.sweep = sweep;
        this.isNeeded = isNeeded;
    }

    /**
     * The sweep interval for calls with this timeout: a sixteenth of it, but at least 1 ms and at most 10 ms. A call
     * times out at most one interval late.
     */
    public static Duration intervalFor(Duration timeout) {
        return Duration.ofNanos(Math.max(MIN_NANOS, Math.min(MAX_NANOS, timeout.toNanos() / 16)));
    }

    /**
     * Whether a request must be completed in this sweep, because the next one would be too late for its budget. The
     * budget includes the time to wake the caller; a request never ends in the first half of its budget.
     */
    public static boolean isDue(long startNanos, long budgetNanos, long nowNanos, long nextSweepNanos) {
        return nextSweepNanos - startNanos >= budgetNanos - budgetNanos / WAKE_UP_PARTS
                && nowNanos - startNanos >= budgetNanos / 2;
    }

    /** Schedules a sweep if none is scheduled. Call this after adding a call to check. */
    public void run() {
        if (!sweeping.get() && sweeping.compareAndSet(false, true) && !executor.isShuttingDown()) {
            executor.schedule(this::sweep, everyNanos, TimeUnit.NANOSECONDS);
        }
    }

    /** Runs a slow task, such as the caller's callbacks, on another thread, so that it does not delay the sweep. */
    public void runOnOtherThread(Runnable task) {
        executors.next().execute(task);
    }

    private void sweep() {
        try {
            sweep.run();
        } catch (RuntimeException | Error e) {
            // Otherwise the executor would keep it to itself, and no further sweep would run.
            LOG.log(System.Logger.Level.WARNING, "a check for overdue calls failed", e);
        } finally {
            sweeping.set(false);
        }
        if (isNeeded.getAsBoolean()) {
            run();
        }
    }
}
