package io.headgate.limits.internal.algorithm;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;

/**
 * The counter of one key in memory: its lock and, in the subclass of an algorithm, its state. Both are in one object, because with a
 * hundred thousand keys each further object costs a cache miss.
 *
 * <p>The lock is an integer with a compare-and-swap, not a monitor or a {@link java.util.concurrent.locks.ReentrantLock}, for three
 * reasons. It is held for some twenty nanoseconds, and a free lock costs one compare-and-swap, which a lock-free state would cost too.
 * A monitor would pin a virtual thread. And it is faster than both under contention: a contended counter is slow because its cache line
 * moves between cores with every decision.
 *
 * <p>So a thread that finds the lock held pauses and tries once more, which is enough for a short decision. Then it sleeps, because
 * each further attempt would take the cache line from the holder, which can make a thousand decisions meanwhile. Each sleep is longer
 * than the last one, up to a bound, so that a suspended holder can run.
 *
 * <p>The lock is neither fair nor reentrant. A thread that holds it does not block, except to take the locks of other rules, in an
 * order that is the same for all limiters, and the lock of the engine in which it removes the counter.
 */
public abstract class Counter {

    private static final int FREE = 0;
    private static final int HELD = 1;

    /** The engine has removed the counter, by an eviction or a reset; a thread that found it before must look it up again. */
    private static final int EVICTED = 2;

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

    /** The time from which the count has no effect, in microseconds since 1970; 0 if nothing was counted. Guarded by the lock. */
    public long expiresAtMicros;

    /** The denials of the id, if its rule bans and has denied it. Guarded by the lock. */
    public @Nullable DenialLog denials;

    /** The time from which neither the count nor the denials have an effect, in microseconds since 1970. */
    public final long usedUntilMicros() {
        return denials == null ? expiresAtMicros : Math.max(expiresAtMicros, denials.keptUntilMicros());
    }

    /** The time until which this counter may deny requests; earlier denials and bans that are only remembered do not extend it. */
    public final long deniesUntilMicros() {
        return denials == null ? expiresAtMicros : Math.max(expiresAtMicros, denials.untilMicros());
    }

    /** Sets the time until which the charges count, unless they already count longer. */
    public final void extendTo(long micros) {
        expiresAtMicros = Math.max(expiresAtMicros, micros);
    }

    /** Takes the lock; returns false, without the lock, if the engine has removed the counter. */
    public final boolean lock() {
        return tryLock() || lockWhenFree();
    }

    /** Takes the lock if it is free; returns whether it was. */
    public final boolean tryLock() {
        return LOCK.compareAndSet(this, FREE, HELD);
    }

    public final void unlock() {
        LOCK.setRelease(this, FREE);
    }

    /** Marks the counter removed: no thread can take its lock again. */
    public final void unlockAsEvicted() {
        LOCK.setRelease(this, EVICTED);
    }

    @SuppressWarnings("ThreadPriorityCheck") // an interrupted thread can't sleep, and must let others run
    private boolean lockWhenFree() {
        long sleepNanos = SHORTEST_SLEEP_NANOS;
        for (int attempts = 1; lock != EVICTED; attempts++) {
            if (lock == FREE && tryLock()) {
                return true;
            }
            if (attempts <= PAUSES) {
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
