package io.headgate.queues.internal.worker;

import io.headgate.queues.worker.WorkerListener;
import java.util.List;
import java.util.function.Consumer;

/** Notifies the listeners of a worker. An exception of a listener is logged; it affects neither other listeners nor the worker. */
public final class WorkerEvents {

    private final List<WorkerListener> listeners;

    /** Creates an instance that notifies these listeners. */
    public WorkerEvents(List<WorkerListener> listeners) {
        this.listeners = List.copyOf(listeners);
    }

    /** Whether a listener handles failures, so that the worker does not log them. */
    boolean handleFailures() {
        for (WorkerListener listener : listeners) {
            try {
                if (listener.handlesFailures()) {
                    return true;
                }
            } catch (RuntimeException | Error e) {
                log(e);
            }
        }
        return false;
    }

    void publish(Consumer<WorkerListener> event) {
        for (WorkerListener listener : listeners) {
            try {
                event.accept(listener);
            } catch (RuntimeException | Error e) {
                log(e);
            }
        }
    }

    private static void log(Throwable failure) {
        System.getLogger(WorkerEvents.class.getName())
                .log(System.Logger.Level.WARNING, "a listener of a worker failed", failure);
    }
}
