package io.headgate.config.sources;

import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;

/**
 * The copies of requests that wait to be sent. Threads that decide real requests only add copies, so that no real decision waits for one. Another
 * thread sends them. Safe for use by any number of threads.
 */
final class CopyQueue {

    /** The most copies without a decision, including those that wait. */
    static final int MAX_OUTSTANDING = 1000;

    private final LinkedBlockingQueue<Runnable> waiting = new LinkedBlockingQueue<>();
    private final AtomicInteger outstanding = new AtomicInteger();

    /**
     * Adds a copy.
     *
     * @param send sends it, and calls {@link #done} when it is decided, or has failed
     * @return false if too many are outstanding; then it is not added
     */
    boolean offer(Runnable send) {
        if (outstanding.incrementAndGet() > MAX_OUTSTANDING) {
            outstanding.decrementAndGet();
            return false;
        }
        waiting.add(send);
        return true;
    }

    /** A copy is decided, or has failed. */
    void done() {
        outstanding.decrementAndGet();
    }

    /** Sends the next copy. Waits for one for a time. */
    void sendNext(long nanos) throws InterruptedException {
        @Nullable Runnable next = waiting.poll(nanos, TimeUnit.NANOSECONDS);
        if (next != null) {
            next.run();
        }
    }

    /** Ends a wait of {@link #sendNext}. */
    void wake() {
        waiting.add(() -> {});
    }

    /** Sends all copies that wait. */
    void sendAll() {
        for (Runnable next = waiting.poll(); next != null; next = waiting.poll()) {
            next.run();
        }
    }
}
