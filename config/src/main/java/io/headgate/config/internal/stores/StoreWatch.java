package io.headgate.config.internal.stores;

import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;

/**
 * Notifies of other current versions, and keeps the report of this instance. Uses a thread of its own, since reading a store blocks.
 */
public final class StoreWatch implements AutoCloseable {

    /**
     * After this time, a notification is sent without a change, as the receiver may have failed, and the lease of the report is extended.
     */
    private static final long RENEW_NANOS = TimeUnit.SECONDS.toNanos(5);

    /** How long closing waits for the thread. */
    private static final long CLOSE_MILLIS = 500;

    private final String name;
    private final Source source;
    private final InstanceReports reports;
    private final AtomicReference<@Nullable Thread> thread = new AtomicReference<>();
    private volatile boolean closed;

    /** How a store is watched. The thread of the watch calls all methods except {@link #stop}. */
    public interface Source {

        /** Reads the current version. May wait until it changes, for a bounded time. */
        Found read();

        /** Called after each reply of the store, and its notification. */
        void replied();

        /** Waits until the next read. */
        void await() throws InterruptedException;

        /** Lets {@link #read} and {@link #await} return soon. */
        void stop();

        /** Called at the end of the thread. */
        void ended();
    }

    /**
     * What a read has found.
     *
     * @param replied whether the store replied
     * @param changedAt identifies the write of the current version; 0 if there is none
     * @param shadowChangedAt identifies the write of the shadow version; 0 if there is none
     */
    public record Found(boolean replied, long changedAt, long shadowChangedAt) {

        /** The store did not reply. */
        public static final Found NOTHING = new Found(false, 0, 0);
    }

    /**
     * Creates a watch, which does not start yet.
     *
     * @param name the name of the thread
     */
    public StoreWatch(String name, Source source, InstanceReports reports) {
        this.name = name;
        this.source = source;
        this.reports = reports;
    }

    /**
     * Starts to notify.
     *
     * @throws IllegalStateException if it was started before, or is closed
     */
    public void start(Runnable changed) {
        Thread next = new Thread(() -> run(changed), name);
        next.setDaemon(true);
        if (closed || !thread.compareAndSet(null, next)) {
            throw new IllegalStateException(closed ? "the store is closed" : "the store is watched already");
        }
        next.start();
    }

    /** Waits up to half a second for the thread, so that it writes no report afterwards, unless this is that thread. */
    @Override
    public void close() {
        closed = true;
        source.stop();
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
        Optional<Found> seen = Optional.empty();
        long dueNanos = System.nanoTime();
        while (!closed) {
            Found now = read();
            boolean due = System.nanoTime() - dueNanos >= 0;
            boolean differs = seen.map(before -> !before.equals(now)).orElse(true);
            if (differs || due) {
                notify(changed);
            }
            if (now.replied() && !closed) {
                source.replied();
                report(due || differs);
            }
            if (due) {
                dueNanos = System.nanoTime() + RENEW_NANOS;
            }
            seen = Optional.of(now);
            await();
        }
        source.ended();
    }

    /** The watch continues after any failure, since nothing else would ever notify of a later version. */
    @SuppressWarnings("CatchingUnchecked")
    private Found read() {
        try {
            return source.read();
        } catch (Throwable e) {
            handle(e);
            return Found.NOTHING;
        }
    }

    private static void handle(Throwable e) {
        Thread current = Thread.currentThread();
        current.getUncaughtExceptionHandler().uncaughtException(current, e);
    }

    private void await() {
        try {
            source.await();
        } catch (InterruptedException e) {
            // The store is closed, or a receiver has left the interrupt, which must not end the watch.
        }
    }

    /** A report that cannot be written is written again by the next read. */
    private void report(boolean extended) {
        try {
            reports.write(extended);
        } catch (StoreFailure e) {
            // If the store does not reply, the next read notifies of that. A user without the right to write is
            // not reported.
        } catch (RuntimeException e) {
            handle(e);
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
            handle(e);
        }
    }
}
