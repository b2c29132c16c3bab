package io.headgate.redis.internal.connection;

import io.netty.util.concurrent.EventExecutor;
import io.netty.util.concurrent.EventExecutorGroup;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.BooleanSupplier;

/**
 * Looks again and again at what may be late, as long as there is any: that is all the timing that many calls of one time-out
 * need, where a timer for each would cost more than the call.
 */
public final class Sweeper {

    private static final long MAX_NANOS = TimeUnit.MILLISECONDS.toNanos(10);
    private static final long MIN_NANOS = TimeUnit.MILLISECONDS.toNanos(1);

    /** This part of a budget is for telling whoever waits, who may be on a thread that has to be woken. */
    private static final int PARTS_TO_TELL = 50;

    private final long everyNanos;
    private final EventExecutorGroup executors;
    private final EventExecutor executor;
    private final Runnable sweep;
    private final BooleanSupplier isNeeded;
    private final AtomicBoolean sweeping = new AtomicBoolean();

    /**
     * One that does not run yet.
     *
     * @param every after how long it looks again
     * @param sweep looks once
     * @param isNeeded whether there is anything to look at
     */
    public Sweeper(Duration every, EventExecutorGroup executors, Runnable sweep, BooleanSupplier isNeeded) {
        this.everyNanos = every.toNanos();
        this.executors = executors;
        this.executor = executors.next();
        this.sweep = sweep;
        this.isNeeded = isNeeded;
    }

    /** How often to look at what has this time-out, so that it ends a sixteenth of it late at most, or 1 to 10 ms. */
    public static Duration often(Duration timeout) {
        return Duration.ofNanos(Math.max(MIN_NANOS, Math.min(MAX_NANOS, timeout.toNanos() / 16)));
    }

    /**
     * Whether something that is answered within its budget in any case is to be ended by who looks now, and then again at that time:
     * soon enough to tell who waits, and not in the first half of it.
     */
    public static boolean isUp(long askedNanos, long budgetNanos, long nowNanos, long nextLookNanos) {
        return nextLookNanos - askedNanos >= budgetNanos - budgetNanos / PARTS_TO_TELL
                && nowNanos - askedNanos >= budgetNanos / 2;
    }

    /** Sees to it that it runs, as there is something to look at. */
    public void run() {
        if (!sweeping.get() && sweeping.compareAndSet(false, true) && !executor.isShuttingDown()) {
            executor.schedule(this::sweep, everyNanos, TimeUnit.NANOSECONDS);
        }
    }

    /** Has something told that may take its time, while others wait for the sweep. */
    public void tell(Runnable telling) {
        executors.next().execute(telling);
    }

    private void sweep() {
        try {
            sweep.run();
        } finally {
            sweeping.set(false);
        }
        if (isNeeded.getAsBoolean()) {
            run();
        }
    }
}
