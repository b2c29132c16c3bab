package io.headgate.bench.run;

import java.time.Duration;
import java.util.concurrent.locks.LockSupport;

/** Lets time pass while others work. */
public final class Pause {

    private Pause() {}

    /** Returns when all of it has passed, also where the thread is woken before. */
    public static void of(Duration time) {
        long end = System.nanoTime() + time.toNanos();
        for (long left = time.toNanos(); left > 0; left = end - System.nanoTime()) {
            LockSupport.parkNanos(left);
        }
    }
}
