package io.headgate.server.http;

import java.time.Duration;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Consumer;

/** Runs a repeated action, such as logging, at most every 5 seconds, and counts the skipped runs. */
public final class LogThrottle {

    private static final long PAUSE_NANOS = Duration.ofSeconds(5).toNanos();

    private final AtomicLong lastNanos = new AtomicLong(System.nanoTime() - PAUSE_NANOS);
    private final AtomicLong skipped = new AtomicLong();

    /** Runs the action, or skips it. The action receives a note on the runs that were skipped before it; empty if there were none. */
    public void run(Consumer<String> action) {
        long now = System.nanoTime();
        long last = lastNanos.get();
        if (now - last < PAUSE_NANOS || !lastNanos.compareAndSet(last, now)) {
            skipped.incrementAndGet();
            return;
        }
        long before = skipped.getAndSet(0);
        action.accept(before == 0 ? "" : " (and " + before + " more failures since the last line)");
    }
}
