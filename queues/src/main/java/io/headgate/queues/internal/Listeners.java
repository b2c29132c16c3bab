package io.headgate.queues.internal;

import io.headgate.queues.WorkerListener;
import java.util.List;
import java.util.function.Consumer;

/** Those who hear of a worker; what one throws is kept from the worker and from the others. */
public final class Listeners {

    private final List<WorkerListener> all;

    /** These. */
    public Listeners(List<WorkerListener> listeners) {
        this.all = List.copyOf(listeners);
    }

    /** Whether one of them handles failures, so that the worker need not log them. */
    boolean handleFailures() {
        for (WorkerListener listener : all) {
            try {
                if (listener.handlesFailures()) {
                    return true;
                }
            } catch (RuntimeException | Error e) {
                report(e);
            }
        }
        return false;
    }

    void tell(Consumer<WorkerListener> what) {
        for (WorkerListener listener : all) {
            try {
                what.accept(listener);
            } catch (RuntimeException | Error e) {
                report(e);
            }
        }
    }

    private static void report(Throwable failure) {
        System.getLogger(Listeners.class.getName())
                .log(System.Logger.Level.WARNING, "a listener of a worker failed", failure);
    }
}
