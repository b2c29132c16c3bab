package io.headgate.server.http;

import java.time.Duration;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Consumer;
import java.util.function.LongSupplier;

/** Runs a repeated action, such as logging, at most every 5 seconds, and counts the skipped runs. */
public final class LogThrottle {

    private static final long PAUSE_NANOS = Duration.ofSeconds(5).toNanos();

    private final LongSupplier nanoTime;
    private final AtomicLong lastNanos;
    private final AtomicLong skipped = new AtomicLong();

    /** Creates a throttle whose first run is not skipped. */
    public LogThrottle() {
        this(System::nanoTime);
    }

    /** Creates a throttle with another clock, for tests. */
    LogThrottle(LongSupplier nanoTime) {
        this.nanoTime = nanoTime;
        this.lastNanos = new AtomicLong(nanoTime.getAsLong() - PAUSE_NANOS);
    }

    /** Runs the action, or skips it. The action receives a note on the runs that were skipped before it; empty if there were none. */
    public void run(Consumer<String> action) {
        long now = nanoTime.getAsLong();
        long last = lastNanos.get();
        if (now - last < PAUSE_NANOS || !lastNanos.compareAndSet(last, now)) {
            skipped.incrementAndGet();
            return;
        }
        long before = skipped.getAndSet(0);
        action.accept(before == 0 ? "" : " (suppressed since the last such line: " + before + ")");
    }
}
