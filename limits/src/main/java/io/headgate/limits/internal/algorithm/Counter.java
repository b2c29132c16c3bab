package io.headgate.limits.internal.algorithm;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;

/**
 * What is counted for one key in memory: its lock, and, in the subclass of an algorithm, the state; one object, since at
 * a hundred thousand keys each further one is a cache miss.
 *
 * <p>The lock is one integer and not a monitor or a {@link java.util.concurrent.locks.ReentrantLock}, for three reasons.
 * It is held for some twenty nanoseconds, and free it costs one compare-and-swap, as much as the best that a state
 * without a lock could do. It is no monitor, which would pin a virtual thread. And under contention it is faster than
 * either: what makes a contended counter slow is not waiting but its cache line travelling between cores with every
 * decision. So who finds it taken pauses and looks once more, which is enough when the holder was only passing by, and
 * then sleeps, for each further look would take the line from the holder. Meanwhile the other thread has the line to
 * itself and decides a thousand times. Each sleep is longer than the one before, up to a bound, so that threads that wait
 * for one that was suspended while it held the lock let it run.
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

    /** From when on nothing that is counted here matters; 0 while nothing was. Guarded by the lock. */
    public long quietAtMicros;

    /** Notes until when what was charged will count. */
    public final void mattersUntil(long micros) {
        quietAtMicros = Math.max(quietAtMicros, micros);
    }

    /** Takes the lock; false when the counter is gone, and then it is not taken. */
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
