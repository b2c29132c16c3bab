package io.headgate.testkit.internal;

import java.time.Duration;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.BooleanSupplier;
import java.util.function.Supplier;

/** A monitor: guards state by a lock and notifies waiting threads of each change. */
public final class Monitor {

    private final ReentrantLock lock = new ReentrantLock();
    private final Condition changed = lock.newCondition();

    /** Changes the state and wakes all waiting threads. */
    public <T> T change(Supplier<T> change) {
        lock.lock();
        try {
            T result = change.get();
            changed.signalAll();
            return result;
        } finally {
            lock.unlock();
        }
    }

    /** Changes the state without a result. */
    public void change(Runnable change) {
        change(() -> {
            change.run();
            return true;
        });
    }

    public <T> T read(Supplier<T> reading) {
        lock.lock();
        try {
            return reading.get();
        } finally {
            lock.unlock();
        }
    }

    /** Waits until the condition holds; returns false after a timeout. */
    public boolean await(Duration atMost, BooleanSupplier condition) {
        lock.lock();
        try {
            long nanosLeft = atMost.toNanos();
            while (!condition.getAsBoolean()) {
                if (nanosLeft <= 0) {
                    return false;
                }
                nanosLeft = changed.awaitNanos(nanosLeft);
            }
            return true;
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IllegalStateException("interrupted while waiting", e);
        } finally {
            lock.unlock();
        }
    }
}
