package io.headgate.limits.internal;

import io.headgate.limits.Decision;
import io.headgate.limits.DecisionListener;
import io.headgate.limits.LimiterException;
import io.headgate.limits.Request;
import java.lang.System.Logger.Level;
import java.util.List;
import java.util.function.Consumer;

/** Calls the listeners of an engine; what one of them throws is logged and stops neither the others nor the caller. */
public final class DecisionListeners implements DecisionListener {

    private static final System.Logger LOG = System.getLogger(DecisionListener.class.getName());

    private final List<DecisionListener> listeners;

    public DecisionListeners(List<DecisionListener> listeners) {
        this.listeners = List.copyOf(listeners);
    }

    /** Whether nobody listens, so that nothing needs to be made for them. */
    public boolean isEmpty() {
        return listeners.isEmpty();
    }

    @Override
    public void onDecision(Request request, Decision decision) {
        tell(listener -> listener.onDecision(request, decision));
    }

    @Override
    public void onFailure(Request request, LimiterException failure) {
        tell(listener -> listener.onFailure(request, failure));
    }

    @SuppressWarnings("CatchingUnchecked")
    private void tell(Consumer<DecisionListener> call) {
        for (DecisionListener listener : listeners) {
            try {
                call.accept(listener);
            } catch (Throwable thrown) {
                LOG.log(Level.WARNING, "listener " + listener.getClass().getName() + " threw", thrown);
            }
        }
    }
}
