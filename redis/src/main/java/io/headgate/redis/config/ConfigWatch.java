package io.headgate.redis.config;

import java.util.Optional;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Consumer;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Notices another current version: when it is woken by a message of Redis, and twice a second, as a message may be lost. Uses a thread of its
 * own, since reading blocks.
 */
final class ConfigWatch implements AutoCloseable {

    private static final long POLL_MILLIS = 500;

    /** After this time, a notification is sent without a change, as the receiver may have failed, and the report is written again. */
    private static final long RENEW_NANOS = TimeUnit.SECONDS.toNanos(5);

    /** How long closing waits for the thread. */
    private static final long CLOSE_MILLIS = 500;

    private final Supplier<Optional<String>> currentId;
    private final Supplier<Optional<String>> shadowId;
    private final Consumer<Boolean> reporting;
    private final Semaphore woken = new Semaphore(0);
    private final AtomicReference<@Nullable Thread> thread = new AtomicReference<>();
    private volatile boolean closed;

    /**
     * Creates a watch, which does not start yet.
     *
     * @param currentId reads the id of the current version; fails with a {@link ConfigStoreException} if it cannot
     * @param shadowId reads the id of the shadow version, fails in the same way; called after messages, and every five seconds only
     * @param reporting writes the report of this instance if it has changed, or the argument is true; fails in the same way
     */
    ConfigWatch(
            Supplier<Optional<String>> currentId, Supplier<Optional<String>> shadowId, Consumer<Boolean> reporting) {
        this.currentId = currentId;
        this.shadowId = shadowId;
        this.reporting = reporting;
    }

    /** What a poll has found. */
    private record Found(boolean replied, Optional<String> id, Optional<String> shadow) {}

    void start(Runnable changed) {
        Thread next = new Thread(() -> run(changed), "headgate-config");
        next.setDaemon(true);
        if (closed || !thread.compareAndSet(null, next)) {
            throw new IllegalStateException(closed ? "the store is closed" : "the store is watched already");
        }
        next.start();
    }

    /** Lets the next poll begin now. */
    void wake() {
        woken.release();
    }

    /** Waits up to half a second for the thread, so that it writes no report afterwards, unless this is that thread. */
    @Override
    public void close() {
        closed = true;
        Thread running = thread.get();
        if (running == null || running == Thread.currentThread()) {
            return;
        }
        running.interrupt();
        try {
            running.join(CLOSE_MILLIS);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    private void run(Runnable changed) {
        Found seen = found(Optional.empty(), true);
        notify(changed);
        long dueNanos = System.nanoTime() + RENEW_NANOS;
        while (!closed) {
            boolean isWoken = await();
            boolean due = System.nanoTime() - dueNanos >= 0;
            Found now = found(seen.shadow(), isWoken || due || !seen.replied());
            boolean back = now.replied() && !seen.replied();
            if (!now.equals(seen) || due) {
                notify(changed);
            }
            seen = now;
            if (now.replied()) {
                report(due || back);
            }
            if (due) {
                dueNanos = System.nanoTime() + RENEW_NANOS;
            }
        }
    }

    /** Waits for the next poll; returns whether it was woken. */
    private boolean await() {
        try {
            if (woken.tryAcquire(POLL_MILLIS, TimeUnit.MILLISECONDS)) {
                woken.drainPermits();
                return true;
            }
        } catch (InterruptedException e) {
            // The store is closed, or a receiver has left the interrupt, which must not end the watch.
        }
        return false;
    }

    /** A report that cannot be written is written again by the next poll. */
    private void report(boolean renewed) {
        try {
            reporting.accept(renewed);
        } catch (RuntimeException e) {
            // Redis does not reply; the next poll notifies of that.
        }
    }

    /**
     * Reads the id of the current version, and that of the shadow version if wanted. If the latter fails, for example because its key holds
     * another value, the last one is still the known one, and the current version is watched as before.
     */
    private Found found(Optional<String> lastShadow, boolean isShadowRead) {
        Optional<String> id;
        try {
            id = currentId.get();
        } catch (RuntimeException e) {
            return new Found(false, Optional.empty(), lastShadow);
        }
        try {
            return new Found(true, id, isShadowRead ? shadowId.get() : lastShadow);
        } catch (RuntimeException e) {
            return new Found(true, id, lastShadow);
        }
    }

    /** The watch continues after any failure, since nothing else would ever notify of a later version. */
    @SuppressWarnings("CatchingUnchecked")
    private void notify(Runnable changed) {
        if (closed) {
            return;
        }
        try {
            changed.run();
        } catch (Throwable e) {
            Thread current = Thread.currentThread();
            current.getUncaughtExceptionHandler().uncaughtException(current, e);
        }
    }
}
