package io.headgate.spring.queues.internal;

import io.headgate.queues.QueueException;
import io.headgate.queues.worker.Worker;
import io.headgate.queues.worker.WorkerListener;
import io.headgate.spring.HeadgateConfigurationException;
import io.headgate.spring.queues.QueueListeners;
import java.time.Duration;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/**
 * Starts, pauses and stops the worker of one listener. While Redis is down, the worker retries. Safe for use by several threads.
 */
final class ListenerContainer {

    private final ListenerSpec spec;
    private final ApplicationQueues queues;
    private final ListenerCall call;
    private final WorkerListener events;

    private final ReentrantLock lock = new ReentrantLock();

    // Guarded by the lock.
    private @Nullable Worker worker;
    private @Nullable ListenerSource source;
    private @Nullable BatchCall batches;

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

    /**
     * Starts the listener.
     *
     * @throws HeadgateConfigurationException if Redis rejects the connection, or does not support the durability of the queue
     */
    void start() {
        lock.lock();
        try {
            if (state == QueueListeners.State.STOPPED) {
                open();
                state = QueueListeners.State.RUNNING;
            }
        } catch (QueueException e) {
            throw new HeadgateConfigurationException(
                    "The listener " + spec.id() + " (" + spec.where() + ") cannot start: " + e.getMessage(),
                    "Check the connection to Redis, and the durability of the queue, stream or group in headgate.queues.",
                    e);
        } finally {
            lock.unlock();
        }
    }

    private void open() {
        ListenerSource opened = new ListenerSource(queues.source(spec));
        int jobsOfCall = spec.batch().map(ListenerSpec.Batch::size).orElse(1);
        Worker.Builder<Delivery> builder = Worker.of(opened)
                .concurrency(spec.concurrency() * jobsOfCall)
                .retries(spec.retries())
                .onFailure(spec::onFailure);
        spec.lease().ifPresent(builder::lease);
        BatchCall batched = spec.batch()
                .map(batch -> new BatchCall(spec, batch, call, opened::signal))
                .orElse(null);
        if (batched != null) {
            opened.claimAtMost(batched::room);
            builder.listener(batched.lostLeases());
        }
        builder.listener(events);
        worker = batched != null
                ? builder.startAsync(batched)
                : spec.method()
                        .stages()
                        .map(stages -> builder.startAsync(call.async(stages)))
                        .orElseGet(() -> builder.start(call.blocking()));
        source = opened;
        batches = batched;
    }

    /** Stops claiming, and waits for running calls of the method at most this long. */
    void stop(Duration atMost) {
        lock.lock();
        try {
            state = QueueListeners.State.STOPPED;
            if (batches != null) {
                batches.close();
            }
            if (worker != null) {
                worker.close(atMost);
            }
            if (batches != null) {
                batches.interrupt();
            }
            batches = null;
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
