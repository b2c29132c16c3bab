package io.headgate.limits.internal.inflight;

import io.headgate.limits.Hold;
import io.headgate.limits.HoldRequest;
import io.headgate.limits.InFlightListener;
import io.headgate.limits.LimiterException;
import java.lang.System.Logger.Level;
import java.util.List;
import java.util.function.Consumer;

/** Calls the listeners of an engine; what one of them throws is logged and stops neither the others nor the caller. */
public final class InFlightListeners implements InFlightListener {

    private static final System.Logger LOG = System.getLogger(InFlightListener.class.getName());

    private final List<InFlightListener> listeners;

    /** Those of an engine. */
    public InFlightListeners(List<InFlightListener> listeners) {
        this.listeners = List.copyOf(listeners);
    }

    @Override
    public void onHold(HoldRequest request, Hold hold) {
        tell(listener -> listener.onHold(request, hold));
    }

    @Override
    public void onLost(HoldRequest request, Hold hold) {
        tell(listener -> listener.onLost(request, hold));
    }

    @Override
    public void onFailure(HoldRequest request, LimiterException failure) {
        tell(listener -> listener.onFailure(request, failure));
    }

    private void tell(Consumer<InFlightListener> call) {
        for (InFlightListener listener : listeners) {
            run("listener " + listener.getClass().getName(), () -> call.accept(listener));
        }
    }

    /** Runs what is a user's own. */
    @SuppressWarnings("CatchingUnchecked")
    static void run(String what, Runnable call) {
        try {
            call.run();
        } catch (Throwable thrown) {
            LOG.log(Level.WARNING, what + " threw", thrown);
        }
    }
}
