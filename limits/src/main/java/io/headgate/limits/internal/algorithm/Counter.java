package io.headgate.limits.internal.algorithm;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;

/**
 * The counter of one key in memory: its lock and, in the subclass of an algorithm, its state. It is one object, since with a hundred
 * thousand keys each further object is a cache miss.
 *
 * <p>The lock is one integer and not a monitor or a {@link java.util.concurrent.locks.ReentrantLock}, for three reasons.
 * It is held for some twenty nanoseconds, and free it costs one compare-and-swap, as much as the best that a state
 * without a lock could do. It is no monitor, which would pin a virtual thread. And under contention it is faster than
 * either: what makes a contended counter slow is not waiting but its cache line travelling between cores with every
 * decision. So a thread that finds the lock taken pauses and tries once more, which is enough for a short decision. Then it
 * sleeps, as each further attempt would take the line from the holder. Meanwhile the holder decides a thousand times. Each sleep
 * is longer than the one before, up to a bound, so that a holder that was suspended can run.
 *
 * <p>It is not fair and not reentrant. Nothing that blocks is done while it is held, but for taking the locks of the
 * other rules of a policy, in an order that all limiters have in common.
 */
public abstract class Counter {

    private static final int FREE = 0;
    private static final int HELD = 1;

    /** The engine has evicted the counter; a thread that found it before must look it up again. */
    private static final int GONE = 2;

    private static final int PAUSES = 1;
    private static final long SHORTEST_SLEEP_NANOS = 1_000;
    private static final long LONGEST_SLEEP_NANOS = TimeUnit.MILLISECONDS.toNanos(1);

    private static final VarHandle LOCK;

    static {
        try {
            LOCK = MethodHandles.lookup().findVarHandle(Counter.class, "lock", int.class);
        } catch (ReflectiveOperationException e) {
            throw new ExceptionInInitializerError(e);
        }
    }

    private volatile int lock = FREE;

    /** The time from which on the count no longer matters; 0 while nothing was counted. Guarded by the lock. */
    public long quietAtMicros;

    /** Sets the time until which the charges count. */
    public final void mattersUntil(long micros) {
        quietAtMicros = Math.max(quietAtMicros, micros);
    }

    /** Takes the lock; returns false, without the lock, if the counter has left the engine. */
    public final boolean lock() {
        return tryLock() || lockWhenFree();
    }

    /** Takes the lock if it is free at once. */
    public final boolean tryLock() {
        return LOCK.compareAndSet(this, FREE, HELD);
    }

    public final void unlock() {
        LOCK.setRelease(this, FREE);
    }

    /** Closes the counter: no thread takes its lock again. */
    public final void unlockAsGone() {
        LOCK.setRelease(this, GONE);
    }

    @SuppressWarnings("ThreadPriorityCheck") // of an interrupted thread, which does not sleep: it must let others run
    private boolean lockWhenFree() {
        long sleepNanos = SHORTEST_SLEEP_NANOS;
        for (int looks = 1; lock != GONE; looks++) {
            if (lock == FREE && tryLock()) {
                return true;
            }
            if (looks <= PAUSES) {
                Thread.onSpinWait();
            } else if (Thread.currentThread().isInterrupted()) {
                Thread.yield();
            } else {
                LockSupport.parkNanos(this, sleepNanos);
                sleepNanos = Math.min(2 * sleepNanos, LONGEST_SLEEP_NANOS);
            }
        }
        return false;
    }
}
