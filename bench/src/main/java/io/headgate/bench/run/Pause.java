package io.headgate.bench.run;

import java.time.Duration;
import java.util.concurrent.locks.LockSupport;

/** Pauses a thread while other threads and processes run. */
public final class Pause {

    private Pause() {}

    /** Returns when this time has passed, even if the thread wakes up earlier. */
    public static void of(Duration time) {
        long end = System.nanoTime() + time.toNanos();
        for (long left = time.toNanos(); left > 0; left = end - System.nanoTime()) {
            LockSupport.parkNanos(left);
        }
    }
}
