package io.headgate.spring.queues.internal;

import io.headgate.queues.QueueException;
import io.headgate.queues.worker.Worker;
import io.headgate.queues.worker.WorkerListener;
import io.headgate.spring.queues.QueueListeners;
import java.lang.System.Logger.Level;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/**
 * Starts, pauses and stops the worker of one listener. If its queue cannot be opened because Redis is down, a thread retries until the
 * listener is stopped. Safe for use by several threads.
 */
final class ListenerContainer {

    private static final System.Logger LOG = System.getLogger(ListenerContainer.class.getName());
    private static final long LONGEST_WAIT_SECONDS = 30;

    private final ListenerSpec spec;
    private final ApplicationQueues queues;
    private final ListenerCall call;
    private final WorkerListener events;

    private final ReentrantLock lock = new ReentrantLock();
    private final Condition stopped = lock.newCondition();

    // Guarded by the lock.
    private @Nullable Worker worker;
    private @Nullable ListenerSource source;
    private @Nullable Thread retrying;

    private volatile QueueListeners.State state = QueueListeners.State.STOPPED;

    ListenerContainer(ListenerSpec spec, ApplicationQueues queues, ListenerCall call, WorkerListener events) {
        this.spec = spec;
        this.queues = queues;
        this.call = call;
        this.events = events;
    }

    ListenerSpec spec() {
        return spec;
    }

    QueueListeners.State state() {
        return state;
    }

    void start() {
        lock.lock();
        try {
            if (state == QueueListeners.State.STOPPED) {
                state = QueueListeners.State.RUNNING;
                openOrRetry();
            }
        } finally {
            lock.unlock();
        }
    }

    private void openOrRetry() {
        try {
            open();
        } catch (QueueException e) {
            LOG.log(Level.WARNING, "The listener " + spec.id() + " cannot start yet, and retries", e);
            // Not a daemon, as the thread of a worker is none: the application remains up until the listener starts.
            Thread thread = new Thread(this::retry, "headgate-listener-" + spec.id());
            retrying = thread;
            thread.start();
        } catch (RuntimeException e) {
            state = QueueListeners.State.STOPPED;
            throw e;
        }
    }

    private void open() {
        ListenerSource opened = new ListenerSource(queues.source(spec));
        if (state == QueueListeners.State.PAUSED) {
            opened.pause();
        }
        Worker.Builder<Delivery> builder = Worker.of(opened)
                .concurrency(spec.concurrency())
                .retries(spec.retries())
                .onFailure(spec::onFailure)
                .listener(events);
        spec.lease().ifPresent(builder::lease);
        worker = spec.method()
                .stages()
                .map(stages -> builder.startAsync(call.async(stages)))
                .orElseGet(() -> builder.start(call.blocking()));
        source = opened;
    }

    private void retry() {
        lock.lock();
        try {
            long wait = 1;
            while (retrying == Thread.currentThread()) {
                // A signal ends the wait only if the listener is stopped.
                if (!stopped.await(wait, TimeUnit.SECONDS) && retrying == Thread.currentThread()) {
                    wait = openedAgain() ? 0 : Math.min(2 * wait, LONGEST_WAIT_SECONDS);
                }
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        } finally {
            lock.unlock();
        }
    }

    private boolean openedAgain() {
        try {
            open();
            retrying = null;
            LOG.log(Level.INFO, "The listener " + spec.id() + " has started");
            return true;
        } catch (RuntimeException e) {
            LOG.log(Level.DEBUG, "The listener " + spec.id() + " cannot start yet", e);
            return false;
        }
    }

    /** Stops claiming, and waits for running calls of the method at most this long. */
    void stop(Duration atMost) {
        lock.lock();
        try {
            state = QueueListeners.State.STOPPED;
            retrying = null;
            stopped.signalAll();
            if (worker != null) {
                worker.close(atMost);
            }
            worker = null;
            source = null;
        } finally {
            lock.unlock();
        }
    }

    void pause() {
        lock.lock();
        try {
            if (state == QueueListeners.State.RUNNING) {
                state = QueueListeners.State.PAUSED;
                if (source != null) {
                    source.pause();
                }
            }
        } finally {
            lock.unlock();
        }
    }

    void resume() {
        lock.lock();
        try {
            if (state == QueueListeners.State.PAUSED) {
                state = QueueListeners.State.RUNNING;
                if (source != null) {
                    source.resume();
                }
            }
        } finally {
            lock.unlock();
        }
    }
}
