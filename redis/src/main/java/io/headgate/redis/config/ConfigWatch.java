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

    /** The polls after which a notification is sent without a change, as the receiver may have failed, and the report is written again. */
    private static final int POLLS = 10;

    private final Supplier<Optional<String>> currentId;
    private final Consumer<Boolean> reporting;
    private final Semaphore woken = new Semaphore(0);
    private final AtomicReference<@Nullable Thread> thread = new AtomicReference<>();
    private volatile boolean closed;

    /**
     * Creates a watch, which does not start yet.
     *
     * @param currentId reads the id of the current version; fails with a {@link ConfigStoreException} if it cannot
     * @param reporting writes the report of this instance if it has changed, or the argument is true; fails in the same way
     */
    ConfigWatch(Supplier<Optional<String>> currentId, Consumer<Boolean> reporting) {
        this.currentId = currentId;
        this.reporting = reporting;
    }

    /** What a poll has found. */
    private record Found(boolean replied, Optional<String> id) {}

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

    @Override
    public void close() {
        closed = true;
        Thread running = thread.get();
        if (running != null) {
            running.interrupt();
        }
    }

    private void run(Runnable changed) {
        try {
            Found seen = found();
            notify(changed);
            for (int polls = 1; !closed; polls++) {
                if (woken.tryAcquire(POLL_MILLIS, TimeUnit.MILLISECONDS)) {
                    woken.drainPermits();
                }
                Found now = found();
                boolean inAnyCase = polls % POLLS == 0;
                if (!now.equals(seen) || inAnyCase) {
                    seen = now;
                    notify(changed);
                }
                if (now.replied()) {
                    report(inAnyCase);
                }
            }
        } catch (InterruptedException e) {
            // The store is closed.
        }
    }

    /** A report that cannot be written is written again by a later poll. */
    private void report(boolean inAnyCase) {
        try {
            reporting.accept(inAnyCase);
        } catch (ConfigStoreException e) {
            // Redis does not reply; the next poll notifies of that.
        }
    }

    private Found found() {
        try {
            return new Found(true, currentId.get());
        } catch (ConfigStoreException e) {
            return new Found(false, Optional.empty());
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
